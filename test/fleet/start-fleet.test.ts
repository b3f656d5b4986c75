import pino from 'pino';
import { afterEach, expect, it } from 'vitest';
import { createSoleElection } from '../../src/db/create-election.ts';
import { createStores } from '../../src/db/create-stores.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { startFleet } from '../../src/fleet/start-fleet.ts';
import { createProcessClock } from '../../src/model/clock.ts';
import { databaseAway } from '../../src/model/database-failure.ts';
import type { FleetStore } from '../../src/model/fleet.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { eventually } from '../support/cli.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** An instance that writes its row again and again into a database of its own; `snapshot` and `open` may fail. */
async function run(snapshot: () => Snapshot, open: (store: FleetStore) => FleetStore = (store) => store) {
  const connection = await openDatabase({ kind: 'sqlite', path: ':memory:' });
  cleanups.push(connection.close);
  const store = createStores(connection).fleet;
  let asked = 0;
  const bugs: string[] = [];
  const fleet = startFleet({
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
    clock: createProcessClock(),
    snapshot,
    isSettled: () => true,
    areAlertsJudged: () => true,
    watch: () => {},
    onBug: (error) => bugs.push(String(error)),
    log: pino({ enabled: false }),
    beatMs: 20,
  });
  cleanups.push(fleet.stop);
  fleet.load({ subnets: [], engines: {}, alertmanager: { urls: [] } });
  return { store, bugs, asked: () => asked };
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
