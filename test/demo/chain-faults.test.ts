import { expect, test } from 'vitest';
import { START_HEIGHT } from '../../src/demo/chain.ts';
import { GET_CANDIDATES, readCandidates } from '../../src/watch/probes/candidates.ts';
import { eventually } from '../support/cli.ts';
import { block, call, isRefused } from './rpc.ts';
import { connectTo, isBroken, start } from './simulation.ts';

const hex = (number: number): string => `0x${number.toString(16)}`;
const resultOf = async (url: string, method: string, ...params: unknown[]) => (await call(url, method, params)).result;
const missingOf = async (url: string): Promise<readonly string[][]> => {
  const { vote } = (await resultOf(url, 'XDPoS_getLatestPoolStatus')) as {
    vote: Record<string, { MissingSigners: string[] }>;
  };
  return Object.values(vote).map(({ MissingSigners }) => MissingSigners);
};

test('a node that makes no blocks costs the others ten seconds in every four rounds', async () => {
  const { clock, node } = await start(['node-down'], 4, 10_000);
  clock.pass(160);
  expect(await block(node(1))).toMatchObject({ Number: START_HEIGHT + 30, Round: START_HEIGHT + 17 + 39 });
});

test('fork: the heights are alike, the older blocks too, and the newer ones are not', async () => {
  const { clock, node, heights, peerCounts } = await start(['fork']);
  clock.pass(60);
  expect(new Set(await heights())).toEqual(new Set([START_HEIGHT + 30]));
  expect(await peerCounts()).toEqual([3, 3, 3, 3]);
  const hashesAt = (number: number) =>
    Promise.all([1, 2, 3, 4].map(async (each) => (await block(node(each), hex(number))).Hash));
  expect(new Set(await hashesAt(START_HEIGHT - 60)).size).toBe(1);
  const [first, second, third, fourth] = await hashesAt(START_HEIGHT + 20);
  expect(second).not.toBe(first);
  expect([third, fourth]).toEqual([first, first]);
  expect(await block(node(2), hex(START_HEIGHT + 20))).toMatchObject({ Committed: true, Error: '' });
  expect((await block(node(2), hex(START_HEIGHT + 21))).ParentHash).toBe(second);
});

test('a fork at run time has fifty blocks of its own at once, and its end takes the node back to the others', async () => {
  const { simulation, node } = await start([]);
  await simulation.setFaults(['fork']);
  const isShared = async (number: number) =>
    (await block(node(2), hex(number))).Hash === (await block(node(1), hex(number))).Hash;
  expect(await Promise.all([0, -49, -50].map((more) => isShared(START_HEIGHT + more)))).toEqual([false, false, true]);
  await simulation.setFaults([]);
  expect(await block(node(2))).toEqual(await block(node(1)));
});

test('mesh-hole: every node has one peer less', async () => {
  const { peerCounts } = await start(['mesh-hole']);
  expect(await peerCounts()).toEqual([2, 2, 2, 2]);
});

test('node-partitioned: one node answers without a peer at its old height, and hears no vote but its own', async () => {
  const { simulation, clock, node, heights, peerCounts } = await start([]);
  await simulation.setFaults(['node-partitioned']);
  clock.pass(60);
  const { 1: cutOff, ...others } = await heights();
  expect(cutOff).toBe(START_HEIGHT);
  for (const height of Object.values(others)) expect(height).toBeGreaterThan(START_HEIGHT);
  expect(await peerCounts()).toEqual([2, 0, 2, 2]);
  expect(await resultOf(node(2), 'XDPoS_getLatestPoolStatus')).toHaveProperty(
    ['timeout', `${START_HEIGHT + 17}:1350`, 'CurrentSigners'],
    [`0x${'0'.repeat(40)}`],
  );
});

test('other-genesis: one node has another genesis, no other block, no peer and no chain id, as recorded', async () => {
  const { simulation, clock, node, peerCounts } = await start(['other-genesis']);
  clock.pass(60);
  expect(await block(node(2))).toMatchObject({
    Number: null,
    Error: 'can not find latest committed block from consensus',
  });
  expect((await block(node(2), 'earliest')).Hash).not.toBe((await block(node(1), 'earliest')).Hash);
  expect(await resultOf(node(2), 'eth_blockNumber')).toBe('0x0');
  expect(await resultOf(node(2), 'eth_chainId')).toBe('0x0');
  expect(await resultOf(node(2), 'eth_syncing')).toBe(false);
  expect(await peerCounts()).toEqual([2, 0, 2, 2]);
  const { vote, timeout } = (await resultOf(node(2), 'XDPoS_getLatestPoolStatus')) as Record<string, object>;
  expect(vote).toEqual({});
  expect(timeout).toMatchObject({ '1:0': { CurrentNumber: 1, CurrentSigners: [`0x${'0'.repeat(40)}`] } });
  await simulation.setFaults([]);
  clock.pass(10);
  expect(await block(node(2))).toEqual(await block(node(1)));
});

test('liar: one height is a million blocks above the others and rises with them', async () => {
  const { clock, node, heights } = await start(['liar']);
  expect(await heights()).toEqual([START_HEIGHT, START_HEIGHT + 1_000_000, START_HEIGHT, START_HEIGHT]);
  clock.pass(60);
  expect(await block(node(2))).toMatchObject({ Number: START_HEIGHT + 1_000_030, Error: '' });
  expect(await resultOf(node(2), 'eth_blockNumber')).toBe(hex(START_HEIGHT + 1_000_030));
  expect(await resultOf(node(1), 'eth_syncing')).toBe(false);
  expect((await block(node(2), hex(START_HEIGHT))).Hash).toBe((await block(node(1), hex(START_HEIGHT))).Hash);
  expect(await resultOf(node(2), 'XDPoS_getLatestPoolStatus')).toHaveProperty('vote');
});

test('non-voting: one node follows, and neither its votes nor its blocks are there', async () => {
  const { clock, node, heights, peerCounts } = await start(['non-voting']);
  clock.pass(60);
  expect(new Set(await heights()).size).toBe(1);
  expect(await peerCounts()).toEqual([3, 3, 3, 3]);
  const silent = await resultOf(node(2), 'eth_coinbase');
  for (const number of [1, 2]) for (const missing of await missingOf(node(number))) expect(missing).toEqual([silent]);
  const { MissedRounds } = (await resultOf(node(1), 'XDPoS_getMissedRoundsInEpochByBlockNum', 'latest')) as {
    MissedRounds: { Miner: string }[];
  };
  expect(new Set(MissedRounds.map(({ Miner }) => Miner))).toEqual(new Set([silent]));
});

test('penalty: one node is in Penalty and no masternode, and the others miss no round', async () => {
  const { clock, node, heights } = await start(['penalty']);
  clock.pass(60);
  expect(await heights()).toEqual(Array(4).fill(START_HEIGHT + 30));
  const coinbases = await Promise.all([1, 2, 3, 4].map((number) => resultOf(node(number), 'eth_coinbase')));
  const [first, second, third, fourth] = coinbases;
  expect(await resultOf(node(2), 'XDPoS_getMasternodesByNumber', 'latest')).toMatchObject({
    MasternodesLen: 3,
    Masternodes: [first, third, fourth],
    PenaltyLen: 1,
    Penalty: [second],
  });
  expect(await missingOf(node(1))).toEqual(Array(11).fill([]));
  expect(await resultOf(node(1), 'XDPoS_getMissedRoundsInEpochByBlockNum', 'latest')).toMatchObject({
    MissedRounds: null,
  });
});

test('finality-stalled: latest rises while committed stands, and both go on together afterwards', async () => {
  const { simulation, clock, node } = await start([]);
  await simulation.setFaults(['finality-stalled']);
  clock.pass(60);
  for (const number of [1, 2, 3, 4]) {
    expect(await block(node(number))).toMatchObject({ Number: START_HEIGHT + 30 });
    expect(await block(node(number), 'committed')).toMatchObject({ Number: START_HEIGHT - 2 });
  }
  await simulation.setFaults([]);
  expect(await block(node(1), 'committed')).toMatchObject({ Number: START_HEIGHT + 28 });
});

test('monitor-offline: nothing answers from 15 seconds on, and everything does when the network is back', async () => {
  const { simulation, clock, node, heights } = await start(['monitor-offline']);
  const urls = [
    node(1),
    simulation.relayer,
    simulation.stats,
    simulation.frontend,
    `${simulation.docker}/containers/json`,
  ];
  const isSilent = async (url: string): Promise<boolean> => {
    const asked = fetch(url, { method: url === node(1) ? 'POST' : 'GET', signal: AbortSignal.timeout(200) });
    return asked.then(
      () => false,
      (error) => error.name === 'TimeoutError',
    );
  };
  const socket = await connectTo(node(1));
  clock.pass(14);
  expect(await isSilent(node(1))).toBe(false);
  clock.pass(1);
  expect(await isBroken(socket)).toBe(true);
  expect(await Promise.all(urls.map(isSilent))).toEqual(urls.map(() => true));
  await simulation.setFaults([]);
  // A request may still take one of the connections that broke.
  await eventually(async () => {
    expect(await heights()).toEqual(Array(4).fill(START_HEIGHT + 7));
    expect((await fetch(`${simulation.docker}/containers/json`)).status).toBe(200);
  }, 5_000);
});

test('rolling-restart: one node after the other is down for ten seconds, and then none any more', async () => {
  const { simulation, clock, node } = await start([]);
  await simulation.setFaults(['rolling-restart']);
  const downIs = (expected: readonly boolean[]) =>
    eventually(async () => {
      expect(await Promise.all([1, 2, 3, 4].map((number) => isRefused(node(number))))).toEqual(expected);
    }, 5_000);
  const none = [false, false, false, false];
  for (const number of [1, 2, 3, 4]) {
    await downIs([1, 2, 3, 4].map((each) => each === number));
    clock.pass(10);
    await downIs(none);
    clock.pass(10);
  }
  await downIs(none);
  expect(await block(node(4))).toMatchObject({ Error: '' });
  expect(new Set(await Promise.all([1, 2, 3, 4].map((number) => resultOf(node(number), 'eth_blockNumber')))).size).toBe(
    1,
  );
});

test('masternode-resigned: it is no candidate at once, and has turns until the set that is chosen without it', async () => {
  const { simulation, clock, node } = await start([]);
  const resigned = await resultOf(node(2), 'eth_coinbase');
  const candidates = async () =>
    readCandidates(await resultOf(node(1), GET_CANDIDATES.method, ...GET_CANDIDATES.params));
  const masternodes = async () => (await resultOf(node(1), 'XDPoS_getMasternodesByNumber', 'latest')) as object;
  expect(await candidates()).toContain(resigned);
  await simulation.setFaults(['masternode-resigned']);
  expect(await candidates()).toHaveLength(3);
  expect(await candidates()).not.toContain(resigned);

  const passTo = (number: number) => clock.pass((number - START_HEIGHT) * 2);
  passTo(3_599);
  expect(await resultOf(node(1), 'eth_getBlockByNumber', hex(2_251), false)).toMatchObject({
    nextValidators: expect.arrayContaining([resigned]),
  });
  const chosen = (await resultOf(node(1), 'eth_getBlockByNumber', hex(3_151), false)) as object;
  expect(chosen).toMatchObject({ nextValidators: expect.not.arrayContaining([resigned]), penalties: [] });
  expect(await resultOf(node(1), 'XDPoS_getMasternodesByNumber', hex(3_598))).toMatchObject({ MasternodesLen: 4 });
  clock.pass(20);
  expect(await masternodes()).toMatchObject({ Number: 3_609, MasternodesLen: 3, PenaltyLen: 0, StandbynodesLen: 0 });
  expect(await masternodes()).not.toMatchObject({ Masternodes: expect.arrayContaining([resigned]) });
});

test('turns-missed: one masternode misses every eighth of its turns, and the others none', async () => {
  const { simulation, clock, node } = await start([], 4, 10_000);
  const slow = await resultOf(node(2), 'eth_coinbase');
  await simulation.setFaults(['turns-missed']);
  // 31 blocks and a round that times out, six times.
  clock.pass(6 * (31 * 2 + 10));
  expect((await block(node(1))).Number).toBe(START_HEIGHT + 6 * 31);
  const { MissedRounds } = (await resultOf(node(1), 'XDPoS_getMissedRoundsInEpochByBlockNum', 'latest')) as {
    MissedRounds: readonly { Miner: string }[];
  };
  expect(MissedRounds.map(({ Miner }) => Miner)).toEqual(Array(6).fill(slow));
  await simulation.setFaults([]);
  clock.pass(200);
  expect((await block(node(1))).Number).toBe(START_HEIGHT + 6 * 31 + 100);
});
