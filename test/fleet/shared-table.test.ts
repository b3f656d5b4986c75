import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createFleet } from '../../src/fleet/create-fleet.ts';
import { createStores } from '../../src/store/create-stores.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { eventually } from '../support/cli.ts';
import { useDatabases } from '../support/use-api.ts';

const databases = useDatabases('postgres');

async function start() {
  const connection = await openDatabase(await databases.create());
  const store = createStores(connection).fleet;
  const stops: (() => Promise<void>)[] = [() => connection.close()];
  onTestFinished(async () => {
    for (const stop of stops.toReversed()) await stop();
  });
  const startInstance = (instance: string) => {
    const lines: string[] = [];
    const fleet = createFleet({
      ...{ shard: { index: 0, total: 2 }, instance, beatMs: 20 },
      database: { isShared: true, fleet: async () => store, election: { standFor: () => () => true } },
      clock: { now: () => performance.now(), toWall: (at) => at + performance.timeOrigin },
      ...{ snapshot: () => [], onBug: (error) => lines.push(String(error)) },
      log: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) }),
    });
    stops.push(fleet.stop);
    fleet.start({ isSettled: () => true, areAlertsJudged: () => true, watch: () => {} });
    fleet.load({ subnets: [] } as unknown as Parameters<typeof fleet.load>[0]);
    return { fleet, lines };
  };
  const run = async (sql: string) => {
    const lent = await connection.lend();
    await lent.query(sql, []).finally(lent.release);
  };
  return { store, startInstance, run };
}

it('an instance says once that another one has its name', async () => {
  const { startInstance, store } = await start();
  const [one, other, third] = [startInstance('same'), startInstance('same'), startInstance('different')];
  await eventually(() => expect([one.lines.length, other.lines.length]).toEqual([1, 1]));
  const beat = async () => (await store.list()).find(({ instance }) => instance === 'different')?.beat ?? 0;
  const before = await beat();
  await eventually(async () => expect(await beat()).toBeGreaterThan(before + 5));
  expect(one.lines).toEqual([
    'another subnetd writes to the fleet by the same name, so neither knows what is its own; give each a SUBNETD_INSTANCE of its own',
  ]);
  expect(third.lines).toEqual([]);
});

it('an instance that is started again takes its own row for its own', async () => {
  const { startInstance, store } = await start();
  const first = startInstance('a');
  await eventually(async () => expect((await store.list())[0]?.beat).toBeGreaterThan(2));
  await first.fleet.stop();
  const second = startInstance('a');
  const [{ beat } = { beat: 0 }] = await store.list();
  await eventually(async () => expect((await store.list())[0]?.beat).toBeGreaterThan(beat + 5));
  expect([...first.lines, ...second.lines]).toEqual([]);
});

it('an instance says once that the table of the fleet is gone', async () => {
  const { startInstance, store, run } = await start();
  const { lines } = startInstance('a');
  await eventually(async () => expect(await store.list()).toHaveLength(1));
  await run('alter table fleet_member rename to aside');
  await eventually(() => expect(lines).not.toEqual([]));
  await run('alter table aside rename to fleet_member');
  const [{ beat } = { beat: 0 }] = await store.list();
  await eventually(async () => expect((await store.list())[0]?.beat).toBeGreaterThan(beat + 2));
  expect(lines).toEqual([
    'the table fleet_member of the database cannot be read or written; what is known of the fleet stays, and the others soon do not see this instance; let its user read and write that table, or restore the database from a backup',
  ]);
});
