import pino from 'pino';
import { afterEach, expect, it } from 'vitest';
import { createFleet } from '../../src/fleet/create-fleet.ts';
import { createProcessClock } from '../../src/lib/clock.ts';
import { databaseAway } from '../../src/lib/database-failure.ts';
import type { FleetStore, FleetSubnet } from '../../src/model/fleet.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { createSoleElection } from '../../src/store/create-election.ts';
import { createStores } from '../../src/store/create-stores.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { eventually } from '../support/cli.ts';
import { createHandClock } from '../support/hand-clock.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** An instance that writes its row again and again into a database of its own; `snapshot` and `open` may fail. */
async function run(
  snapshot: () => Snapshot,
  open: (store: FleetStore) => FleetStore = (store) => store,
  clock = createProcessClock(),
) {
  const connection = await openDatabase({ kind: 'sqlite', path: ':memory:' });
  cleanups.push(connection.close);
  const store = createStores(connection).fleet;
  let asked = 0;
  const bugs: string[] = [];
  const lines: string[] = [];
  const fleet = createFleet({
    shard: { index: 0, total: 3 },
    instance: 'one',
    database: {
      isShared: true,
      fleet: async () => {
        asked += 1;
        return open(store);
      },
      election: createSoleElection(),
    },
    clock,
    snapshot,
    onBug: (error) => bugs.push(String(error)),
    log: pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line.trim()) }),
    beatMs: 20,
  });
  cleanups.push(fleet.stop);
  fleet.start({ isSettled: () => true, areAlertsJudged: () => true, watch: () => {} });
  fleet.load({ subnets: [], engines: {}, alertmanager: { urls: [] } });
  return { store, bugs, lines, fleet, asked: () => asked };
}

it('an instance that cannot write its row for a bug reports the bug, because the others take it for dead', async () => {
  const { store, bugs } = await run(() => {
    throw new Error('a bug');
  });
  await eventually(() => expect(bugs).toContain('Error: a bug'));
  expect(await store.list()).toEqual([]);
});

it('an instance whose database is down reports no bug, and writes its row when it is back', async () => {
  let isAway = true;
  const { store, bugs, asked } = await run(
    () => [],
    (open) => {
      if (isAway) throw databaseAway();
      return open;
    },
  );
  await eventually(() => expect(asked()).toBeGreaterThan(2));
  isAway = false;
  await eventually(async () => expect((await store.list()).map(({ instance }) => instance)).toEqual(['one']));
  expect(bugs).toEqual([]);
});

it('an instance beside one that was started otherwise says so, with what to do', async () => {
  const hand = createHandClock();
  const { store, lines, fleet } = await run(
    () => [],
    (open) => open,
    hand.clock,
  );
  const subnet: FleetSubnet = {
    ...{ name: 'unknown', isReady: true, keeping: 'now', targets: 1, failing: 0, problems: [], problemCount: 0 },
  };
  const others = [
    { instance: 'two', shard: { index: 1, total: 4 }, subnets: [] },
    { instance: 'three', shard: { index: 2, total: 3 }, subnets: [subnet] },
  ];
  let beat = 0;
  await eventually(async () => {
    beat += 1;
    for (const one of others) await store.write({ ...one, beat, writtenAt: hand.wall() });
    hand.run(10_000);
    expect(lines).toHaveLength(2);
  });
  const end = (words: string) => `${words}"}`;
  expect(lines.toSorted()).toEqual([
    end(
      '{"level":40,"other":"three","subnets":"unknown","msg":"the inventory of another instance has other subnets than the one here for ten minutes, so a subnet may be watched by nobody; give all the same inventory',
    ),
    end(
      '{"level":40,"other":"two","theirs":"1/4","own":"0/3","msg":"another instance counts other shards than this one for ten minutes, so a subnet may be watched by two or by nobody; start all with the same N of --shard I/N',
    ),
  ]);
  expect(fleet.view()?.differing.toSorted()).toEqual(['three', 'two']);
});
