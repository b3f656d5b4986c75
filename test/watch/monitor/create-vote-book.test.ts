import { expect, test } from 'vitest';
import type { PoolVotes } from '../../../src/model/chain.ts';
import { createVoteBook } from '../../../src/watch/monitor/create-vote-book.ts';
import { hashOf, votesFor } from '../../support/double-votes.ts';

const SECOND = 1_000;

/** Adds pools to a new book, each five seconds after the one before, and lists what they show. */
function addAll(
  ...pools: readonly {
    readonly node?: string;
    readonly genesis?: string;
    readonly votes: PoolVotes;
    readonly at?: number;
  }[]
) {
  const book = createVoteBook();
  return pools.flatMap(({ node = 'n1', genesis = '0xg', votes, at }, index) =>
    book
      .add({ node, genesis, votes }, at ?? index * 5 * SECOND)
      .map(({ signer, votes: [one, other] }) => [signer, one.round, one.hash, one.seenBy, other.hash, other.seenBy]),
  );
}

test('who stands under two blocks of a round in one pool has voted twice', () => {
  const votes = [votesFor(7, 'a', '0x1', '0x2', '0x3'), votesFor(7, 'b', '0x4', '0x2')];
  expect(addAll({ votes })).toEqual([['0x2', 7, hashOf('a'), 'n1', hashOf('b'), 'n1']]);
});

test('two pools show it together, with the one that has each of the votes', () => {
  expect(
    addAll(
      { node: 'n1', votes: [votesFor(7, 'a', '0x1', '0x2')] },
      { node: 'n2', votes: [votesFor(7, 'a', '0x3', '0x4')] },
      { node: 'n3', votes: [votesFor(7, 'b', '0x4')] },
    ),
  ).toEqual([['0x4', 7, hashOf('a'), 'n2', hashOf('b'), 'n3']]);
});

test('it does not matter in which order pools are read', () => {
  const first = { node: 'n1', votes: [votesFor(7, 'a', '0x1')] };
  const second = { node: 'n2', votes: [votesFor(7, 'b', '0x1')] };
  expect(addAll(first, second)).toHaveLength(1);
  expect(addAll(second, first)).toHaveLength(1);
});

test('two blocks at one height in two rounds, as after a timeout, are no double vote', () => {
  const [one, other] = [votesFor(7, 'a', '0x1', '0x2'), votesFor(8, 'b', '0x1', '0x2')];
  expect(addAll({ votes: [one, { ...other, key: `8:0:7:${hashOf('b')}` }] })).toEqual([]);
});

test('two blocks of one round with other signers each are none of them', () => {
  expect(addAll({ votes: [votesFor(7, 'a', '0x1', '0x2'), votesFor(7, 'b', '0x3')] })).toEqual([]);
});

test('votes for one block that name two gap blocks are for one block', () => {
  expect(
    addAll({ votes: [votesFor(7, 'a', '0x1'), { ...votesFor(7, 'a', '0x1'), key: `7:450:7:${hashOf('a')}` }] }),
  ).toEqual([]);
});

test('a client that names only round and block is understood, and what is no key is not', () => {
  const bare = { ...votesFor(7, 'b', '0x1'), key: `7:${hashOf('b').toUpperCase().replace('0X', '0x')}` };
  expect(addAll({ votes: [votesFor(7, 'a', '0x1'), bare] })).toEqual([
    ['0x1', 7, hashOf('a'), 'n1', hashOf('b'), 'n1'],
  ]);
  expect(addAll({ votes: [votesFor(7, 'a', '0x1'), { ...bare, key: '7:450' }] })).toEqual([]);
});

test('nodes of two chains have rounds of their own', () => {
  expect(
    addAll(
      { node: 'n1', genesis: '0xg', votes: [votesFor(7, 'a', '0x1')] },
      { node: 'n2', genesis: '0xh', votes: [votesFor(7, 'b', '0x1')] },
    ),
  ).toEqual([]);
});

test('a chain that begins again signs its rounds once more', () => {
  expect(
    addAll(
      { node: 'n1', votes: [votesFor(7, 'a', '0x1'), votesFor(9, 'c', '0x1')] },
      { node: 'n1', votes: [votesFor(7, 'b', '0x1')] },
    ),
  ).toEqual([]);
});

test('a round is forgotten once every pool was read, and rounds that somebody makes up fill no memory', () => {
  const [first, second] = [{ votes: [votesFor(7, 'a', '0x1')], at: 0 }, [votesFor(7, 'b', '0x1')]] as const;
  expect(addAll(first, { node: 'n2', votes: second, at: 89 * SECOND })).toHaveLength(1);
  expect(addAll(first, { node: 'n2', votes: second, at: 90 * SECOND })).toEqual([]);
  const many = Array.from({ length: 300 }, (_, index) => votesFor(8 + index, 'c', '0x2'));
  expect(
    addAll(
      first,
      { node: 'n3', votes: many, at: 1 },
      { node: 'n3', votes: many.slice(-1), at: 2 },
      { node: 'n2', votes: second, at: 3 },
    ),
  ).toEqual([]);
});
