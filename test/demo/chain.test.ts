import { keccak256 } from 'viem/utils';
import { expect, test } from 'vitest';
import { createChain, LONG_START_HEIGHT, START_HEIGHT } from '../../src/demo/chain.ts';
import { toNodeIdentity } from '../../src/demo/node-identity.ts';

const now = Date.UTC(2026, 0, 2, 3, 4, 5);
const masternodes = ['subnet1', 'subnet2', 'subnet3', 'subnet4'].map(
  (name, index) => toNodeIdentity(name, index).address,
);

test.each([START_HEIGHT, LONG_START_HEIGHT])(
  'every block below %i names its parent and hashes to its own name',
  (height) => {
    const chain = createChain(masternodes, now, undefined, height);
    for (let number = height - 20; number <= height; number++) {
      const block = chain.block(number);
      expect(block.parentHash).toBe(chain.block(number - 1).hash);
      expect(block.hash).toBe(keccak256(block.encoded));
    }
  },
);

test('the round runs ahead of the number, and the masternodes propose in turn', () => {
  const chain = createChain(masternodes, now);
  const blocks = [0, 1, 2, 3].map((more) => chain.block(START_HEIGHT - more));
  expect(blocks.map(({ round, number }) => round - number)).toEqual([17, 17, 17, 17]);
  expect(new Set(blocks.map(({ miner }) => miner))).toEqual(new Set(masternodes));
});

test('an absent masternode proposes nothing, and each of its turns costs a round', () => {
  const chain = createChain(masternodes, now);
  chain.change(now, { producing: true, absent: [1], penalised: [] });
  const after = Array.from({ length: 6 }, (_, index) => chain.block(START_HEIGHT + 1 + index));
  expect(after.map(({ round }) => round % 4)).toEqual([2, 3, 0, 2, 3, 0]);
  expect((after.at(-1)?.round ?? 0) - (after[0]?.round ?? 0)).toBe(6);
  expect(new Set(after.map(({ miner }) => miner))).toEqual(new Set([masternodes[0], masternodes[2], masternodes[3]]));
});

test('what was said of a block stays true after the chain has changed', () => {
  const chain = createChain(masternodes, now);
  const said = chain.block(START_HEIGHT);
  chain.change(now + 60_000, { producing: false, absent: [0, 1], penalised: [] });
  chain.change(now + 90_000, { producing: true, absent: [], penalised: [] });
  expect(chain.block(START_HEIGHT)).toEqual(said);
});
