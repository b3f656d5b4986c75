import { expect, test } from 'vitest';
import type { ChainObservation } from '../../../src/model/chain.ts';
import type { NodeObservation } from '../../../src/model/observation.ts';
import { createSharing } from '../../../src/watch/monitor/create-sharing.ts';
import { recordedChain } from '../../support/recorded-chain.ts';

const LATEST = { ok: true, value: { number: 1, timestamp: 2 } } as const;

/** Shares what nodes say about their chain. */
function createChainShare(): (chain: ChainObservation) => ChainObservation {
  const share = createSharing();
  return (chain) => share({ answered: true, latest: LATEST, chain }).chain ?? { missing: {} };
}

/** What another node says alike, with no list of the first one. */
const copyOf = (chain: ChainObservation): ChainObservation => JSON.parse(JSON.stringify(chain));

test('nodes that say the same share its lists, and an observation stays what it was', () => {
  const share = createChainShare();
  const said = { ...recordedChain('one-down'), block: { number: 64, hash: '0x64' } };
  const [first, second] = [share(said), share(copyOf(said))];
  expect(second).toEqual(said);
  expect(second.masternodes?.active).toBe(first.masternodes?.active);
  expect(second.missedRounds?.rounds).toBe(first.missedRounds?.rounds);
  expect(second.missedRounds?.byMiner).toBe(first.missedRounds?.byMiner);
  expect(second.pool?.neverSigned).toBe(first.pool?.neverSigned);
  expect(second.consensus).toBe(first.consensus);
  expect(second.block).toBe(first.block);
  expect(second.masternodes).toBe(first.masternodes);
  expect(second.missedRounds).toBe(first.missedRounds);
  expect(second.pool).toBe(first.pool);
  expect(second.missing).toBe(first.missing);
});

test('nodes that answer alike share their height and their peers, and each other one keeps its own', () => {
  const share = createSharing();
  const of = (number: number, timestamp: number | undefined, count: number): NodeObservation => ({
    answered: true,
    latest: { ok: true, value: { number, ...(timestamp !== undefined && { timestamp }) } },
    committed: { ok: true, value: { number: number - 3 } },
    peers: { ok: true, value: { count, via: 'admin_peers' } },
  });
  const [first, second] = [share(of(9, 1, 3)), share(of(9, 1, 3))];
  expect(second).toEqual(of(9, 1, 3));
  for (const part of ['latest', 'committed', 'peers'] as const) expect(second[part]).toBe(first[part]);
  for (const [number, timestamp, count] of [
    [8, 1, 3],
    [9, 2, 3],
    [9, undefined, 3],
    [9, 1, 4],
  ] as const)
    expect(share(of(number, timestamp, count))).toEqual(of(number, timestamp, count));
  const silent: NodeObservation = { answered: false, latest: { ok: false, fault: { kind: 'refused', address: 'x' } } };
  expect(share(silent)).toEqual(silent);
});

test('a member that is not known is not taken for one that another node does not have', () => {
  const share = createChainShare();
  share({ missing: { pool: undefined } });
  expect(Object.keys(share({ missing: { block: 'error' } }).missing)).toEqual(['block']);
  share({ missing: { pool: 'error' } });
  expect(share({ missing: {} }).missing).toEqual({});
});

test('two of which one differs in a period or in a hash share neither', () => {
  const share = createChainShare();
  const said = { ...recordedChain('one-down'), block: { number: 64, hash: '0x64' } };
  share(copyOf(said));
  const others: readonly ChainObservation[] = [
    { ...said, consensus: said.consensus && { ...said.consensus, gap: 1 } },
    { ...said, block: { number: 65, hash: '0x64' } },
    { ...said, block: { number: 64, hash: '0x65' } },
    { ...said, nextEpoch: { block: 451, candidates: ['0x1'], penalised: [] } },
    { ...said, genesis: '0x1', address: '0x2', nodeId: 'a', peerIds: ['b', 'c', 'b'] },
  ];
  for (const other of others) expect(share(copyOf(other))).toEqual(other);
});

test('more ids than any subnet has are kept as they were said', () => {
  const share = createChainShare();
  const peerIds = Array.from({ length: 70_000 }, (_, index) => `id-${index}`);
  expect(share({ peerIds, missing: {} })).toEqual({ peerIds, missing: {} });
  expect(share({ nodeId: 'id-0', peerIds: ['id-69999'], missing: {} })).toEqual({
    nodeId: 'id-0',
    peerIds: ['id-69999'],
    missing: {},
  });
});

test('nodes that say something else have lists of their own', () => {
  const share = createChainShare();
  const said = recordedChain('one-down');
  const { masternodes, missedRounds, pool } = said;
  share(copyOf(said));
  const others: readonly ChainObservation[] = [
    { ...said, masternodes: masternodes && { ...masternodes, active: masternodes.active.toReversed() } },
    { ...said, missedRounds: missedRounds && { ...missedRounds, rounds: missedRounds.rounds.slice(1) } },
    {
      ...said,
      missedRounds: missedRounds && {
        ...missedRounds,
        rounds: missedRounds.rounds.map((one) => ({ ...one, miner: `0x${'1'.repeat(40)}` })),
        byMiner: { ...missedRounds.byMiner, more: 1 },
      },
    },
    { ...said, missedRounds: missedRounds && { ...missedRounds, byMiner: {} } },
    { ...said, pool: pool && { ...pool, neverSigned: [] } },
    recordedChain('healthy'),
    { missing: {} },
  ];
  for (const other of others) expect(share(copyOf(other))).toEqual(other);
});

test('more different answers than there are nodes that agree are kept apart', () => {
  const share = createChainShare();
  const of = (miner: string): ChainObservation => ({
    pool: { voteRounds: 4, neverSigned: [miner], timeouts: 0, timeoutRound: 0 },
    missing: {},
  });
  for (let index = 0; index < 20; index += 1) expect(share(of(`0x${index}`))).toEqual(of(`0x${index}`));
  expect(share(of('0x3'))).toEqual(of('0x3'));
});
