import { describe, expect, test } from 'vitest';
import { START_HEIGHT } from '../../src/demo/chain.ts';
import { createVoteBook } from '../../src/watch/monitor/create-vote-book.ts';
import { call } from './rpc.ts';
import { start } from './simulation.ts';

interface Entry {
  readonly CurrentNumber: number;
  readonly CurrentSigners: readonly string[];
  readonly MissingSigners: readonly string[];
}
type Entries = Readonly<Record<string, Entry>>;

const ZERO = `0x${'0'.repeat(40)}`;

const poolOf = async (url: string) =>
  (await call(url, 'XDPoS_getLatestPoolStatus')).result as { timeout: Entries; vote: Entries };
const coinbaseOf = async (url: string) => (await call(url, 'eth_coinbase')).result as string;
const missedOf = async (url: string) =>
  (
    (await call(url, 'XDPoS_getMissedRoundsInEpochByBlockNum', ['latest'])).result as {
      MissedRounds: readonly { Round: number; Miner: string; CurrentBlockNum: number }[] | null;
    }
  ).MissedRounds ?? [];

describe('the pool', () => {
  test('of a healthy subnet has three signers in each round, and another one missing each time', async () => {
    const { clock, node } = await start([]);
    clock.pass(60);
    const { timeout, vote } = await poolOf(node(1));
    expect(timeout).toEqual({});
    expect(Object.keys(vote)).toHaveLength(11);
    for (const { CurrentNumber, CurrentSigners } of Object.values(vote))
      expect([CurrentNumber, CurrentSigners.length]).toEqual([3, 3]);
    expect(new Set(Object.values(vote).flatMap(({ MissingSigners }) => MissingSigners)).size).toBe(4);
    const [first = ''] = Object.keys(vote);
    const number = START_HEIGHT + 20;
    expect(first).toMatch(new RegExp(`^${number + 17}:1350:${number}:0x`));
  });

  test('names the same blocks on all nodes', async () => {
    const { node } = await start([]);
    expect(Object.keys((await poolOf(node(1))).vote)).toEqual(Object.keys((await poolOf(node(4))).vote));
  });

  test('of a subnet with one node down lacks that node in every round, a minute later', async () => {
    const { simulation, clock, node } = await start([]);
    const dead = await coinbaseOf(node(2));
    await simulation.setFaults(['node-down']);
    clock.pass(60);
    const { timeout, vote } = await poolOf(node(1));
    expect(timeout).toEqual({});
    expect(Object.values(vote).map(({ MissingSigners }) => MissingSigners)).toEqual(Array(11).fill([dead]));
  });

  test('of a halted subnet has a timeout, in which a node knows itself by the zero address', async () => {
    const { simulation, clock, node } = await start(['node-down'], 3);
    clock.pass(60);
    const [own, other] = [await coinbaseOf(node(1)), await coinbaseOf(node(3))];
    const { timeout, vote } = await poolOf(node(1));
    const round = START_HEIGHT + 17;
    const { [`${round}:1350`]: entry, ...more } = timeout;
    expect(more).toEqual({});
    expect(entry).toMatchObject({ CurrentNumber: 2, CurrentSigners: [ZERO, other] });
    expect(entry?.MissingSigners).toHaveLength(2);
    expect(entry?.MissingSigners).toContain(own);
    expect(Object.values(vote).at(-1)).toMatchObject({ CurrentNumber: 2, CurrentSigners: [own, other] });
    await simulation.setFaults([]);
    clock.pass(10);
    expect((await poolOf(node(1))).timeout).toEqual({});
  });

  test('shows only their own votes to nodes that run and hear nobody', async () => {
    const { node } = await start(['subnet-halted']);
    const { timeout, vote } = await poolOf(node(1));
    expect(Object.values(timeout)).toMatchObject([{ CurrentNumber: 1, CurrentSigners: [ZERO] }]);
    expect(Object.values(vote).at(-1)).toMatchObject({ CurrentSigners: [await coinbaseOf(node(1))] });
  });
});

test('a node on a branch of its own is the only one that votes for it, and in no round in which it voted with the others', async () => {
  const { simulation, clock, node } = await start([]);
  await simulation.setFaults(['fork']);
  const own = await coinbaseOf(node(2));
  const book = createVoteBook();
  for (let passed = 0; passed < 90; passed += 10) {
    for (const number of [1, 2, 3, 4]) {
      const { vote } = await poolOf(node(number));
      const votes = Object.entries(vote).map(([key, { CurrentSigners }]) => ({
        ...{ key, round: key.split(':')[0] ?? '', signers: CurrentSigners },
      }));
      if (number === 2) expect(votes.map(({ signers }) => signers)).toEqual(votes.map(() => [own]));
      if (number === 2 && passed >= 60) expect(votes).toHaveLength(11);
      expect(book.add({ node: `subnet${number}`, genesis: '0x1', votes }, passed * 1000)).toEqual([]);
    }
    clock.pass(10);
  }
  await simulation.setFaults(['fork', 'double-vote']);
  expect(Object.keys((await poolOf(node(2))).vote)).toHaveLength(11);
});

describe('missed rounds', () => {
  test('are none in a healthy subnet', async () => {
    const { clock, node } = await start([]);
    clock.pass(60);
    expect(await missedOf(node(1))).toEqual([]);
  });

  test('name a dead node once every four rounds, the newest first', async () => {
    const { simulation, clock, node } = await start([]);
    const dead = await coinbaseOf(node(2));
    await simulation.setFaults(['node-down']);
    clock.pass(60);
    const missed = await missedOf(node(1));
    expect(missed.length).toBeGreaterThan(0);
    expect(missed.map(({ Miner }) => Miner)).toEqual(missed.map(() => dead));
    const rounds = missed.map(({ Round }) => Round);
    expect(rounds).toEqual(rounds.map((_, index) => (rounds[0] ?? 0) - 4 * index));
  });
});

test('the peers of a node are the ids that the others call themselves, and all have one genesis', async () => {
  const { node } = await start([]);
  const infos = await Promise.all(
    [1, 2, 3, 4].map(
      async (number) =>
        (await call(node(number), 'admin_nodeInfo')).result as { id: string; protocols: { eth: { genesis: string } } },
    ),
  );
  const peers = (await call(node(1), 'admin_peers')).result as readonly { id: string }[];
  expect(peers.map(({ id }) => id).toSorted()).toEqual(
    infos
      .slice(1)
      .map(({ id }) => id)
      .toSorted(),
  );
  expect(new Set(infos.map(({ protocols }) => protocols.eth.genesis)).size).toBe(1);
});
