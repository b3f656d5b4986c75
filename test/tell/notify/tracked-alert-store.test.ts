import { describe, expect, it } from 'vitest';
import { createRepositories } from '../../../src/store/create-repositories.ts';
import { createStores } from '../../../src/store/create-stores.ts';
import { migrate } from '../../../src/store/migrate.ts';
import { migrations } from '../../../src/store/migrations.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { openPostgres } from '../../../src/store/open-postgres.ts';
import { openSqlite } from '../../../src/store/open-sqlite.ts';
import { alertKey, type TrackedAlert } from '../../../src/tell/alerts/tracked-alert.ts';
import { groupKey, type NotifiedGroup } from '../../../src/tell/notify/notified-alert.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useDatabases } from '../../support/use-api.ts';

const alert = (name: string, phase: TrackedAlert['phase']): TrackedAlert => ({
  labels: { alertname: 'SubnetNodeDown', severity: 'warning', subnet: 'd', component: 'node', name },
  annotations: { summary: `it’s ${name}` },
  keepFiringForMs: 0,
  phase,
  activeAt: 1_790_000_000_123,
  seenAt: 1_790_000_000_456,
});
/** The places of an instance that is in no fleet. */
const alone = (own: string) => ({ own, shared: own });
const byKey = (...trackedAlerts: readonly TrackedAlert[]) =>
  new Map(trackedAlerts.map((one) => [alertKey(one.labels), one]));

describe.each(DATABASE_KINDS)('alerts in %s', (kind) => {
  const databases = useDatabases(kind);

  it('are read as they were last written, each instance its own', async () => {
    const address = await databases.create();
    const connection = await openDatabase(address);
    const { alerts } = await createRepositories(connection);
    const trackedAlerts = (own: string) => alerts(alone(own));
    const store = trackedAlerts('one');
    await store.save(byKey(alert('a', 'pending'), alert('b', 'firing')), []);
    await trackedAlerts('two').save(byKey(alert('c', 'firing')), []);
    await store.save(byKey(alert('a', 'firing')), [alertKey(alert('b', 'firing').labels)]);
    await connection.close();

    const again = await openDatabase(address);
    const { alerts: others } = await createRepositories(again);
    const reopened = (own: string) => others(alone(own));
    expect(await reopened('one').load()).toEqual([alert('a', 'firing')]);
    expect(await reopened('two').load()).toEqual([alert('c', 'firing')]);
    expect(await reopened('three').load()).toEqual([]);
    await again.close();
  });

  it('about subnets are those of all instances in a fleet, and not what one has kept before it was in a fleet', async () => {
    const connection = await openDatabase(await databases.create());
    const { alerts } = createStores(connection);
    const inFleet = (own: string) => alerts({ own, shared: '*' });
    const own: TrackedAlert = { ...alert('', 'firing'), labels: { alertname: 'SubnetdDatabaseDown', instance: 'one' } };
    await alerts(alone('one')).save(byKey(alert('before', 'firing'), own), []);
    await inFleet('two').save(byKey(alert('a', 'firing')), []);
    const loaded = await inFleet('one').load();
    expect(loaded).toHaveLength(2);
    expect(loaded).toEqual(expect.arrayContaining([own, alert('a', 'firing')]));
    expect(await inFleet('two').load()).toEqual([alert('a', 'firing')]);
    await inFleet('one').save(new Map(), [alertKey(alert('a', 'firing').labels)]);
    expect([await inFleet('one').load(), await inFleet('two').load()]).toEqual([[own], []]);
    await connection.close();
  });

  it('have another version after each write that changed a row, where a version is cheaper than to load them', async () => {
    const connection = await openDatabase(await databases.create());
    const fleetAlerts = createStores(connection).alerts({ own: 'one', shared: '*' });
    const versions = [await fleetAlerts.version()];
    const writes = [
      [byKey(alert('a', 'pending'), alert('b', 'firing')), []],
      [byKey(alert('a', 'firing')), []],
      [byKey(), [alertKey(alert('b', 'firing').labels)]],
      [byKey(alert('c', 'firing')), [alertKey(alert('a', 'firing').labels)]],
    ] as const;
    for (const [changed, gone] of writes) {
      await fleetAlerts.save(changed, gone);
      versions.push(await fleetAlerts.version());
    }
    expect(new Set(versions).size).toBe(kind === 'sqlite' ? 1 : versions.length);
    expect(await fleetAlerts.version()).toBe(versions.at(-1));
    expect(typeof versions[0]).toBe(kind === 'sqlite' ? 'undefined' : 'string');
    await connection.close();
  });

  it('are kept apart from what their channels were notified of', async () => {
    const address = await databases.create();
    const connection = await openDatabase(address);
    const { alerts, notified: groups } = await createRepositories(connection);
    const [trackedAlerts, notified] = [(own: string) => alerts(alone(own)), (own: string) => groups(alone(own))];
    const { labels, annotations } = alert('a', 'firing');
    const group = (name: string, sentAt: number): NotifiedGroup => ({
      channel: name,
      group: "it’s a subnet's",
      alerts: { [alertKey(labels)]: { labels, annotations, startsAt: 1_790_000_000_123 } },
      sentAt,
      thread: 't',
    });
    const save = (gone: readonly string[], ...groups: readonly NotifiedGroup[]) =>
      notified('one').save(new Map(groups.map((one) => [groupKey(one), one])), gone);
    await trackedAlerts('one').save(byKey(alert('a', 'firing')), []);
    await save([], group('ops', 1), group('mail', 1));
    await save([groupKey(group('mail', 1))], group('ops', 2));
    expect(await notified('one').load()).toEqual([group('ops', 2)]);
    expect(await notified('two').load()).toEqual([]);
    expect(await trackedAlerts('one').load()).toEqual([alert('a', 'firing')]);
    await connection.close();
  });

  it('and what channels were notified of are read without rows that would break the notification of all', async () => {
    const address = await databases.create();
    const connection = await openDatabase(address);
    const { alerts, notified: groups } = await createRepositories(connection);
    const [trackedAlerts, notified] = [(own: string) => alerts(alone(own)), (own: string) => groups(alone(own))];
    const good = alert('a', 'firing');
    const { labels, annotations } = good;
    const one = { labels, annotations, startsAt: 1 };
    const group = { channel: 'ops', group: 'd', alerts: { k: one }, sentAt: 1, thread: 't' };
    const rows = [
      ...[null, [], { name: 1 }].map((bad) => ['alert', { ...good, labels: bad }] as const),
      ...[8.7e15, '1', null].map((bad) => ['alert', { ...good, firedAt: bad }] as const),
      ['alert', { ...good, details: {} }],
      ['alert', { ...good, planned: { reason: 'x' } }],
      ...[null, {}, { ...one, startsAt: 8.7e15 }, { ...one, endsAt: null }, { ...one, labels: null }].map(
        (bad) => ['notified', { ...group, alerts: { k: bad } }] as const,
      ),
      ['notified', { ...group, alerts: [one] }],
      ['notified', { ...group, sentAt: 8.7e15 }],
    ] as const;
    const quote = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'`;
    const values = rows.map(([kept, value], index) => `('one', '${kept}', 'bad ${index}', ${quote(value)})`);
    await connection.exclusively(({ run }) =>
      run(`insert into instance_state (instance, kind, key, value) values ${values.join(', ')}`),
    );
    await trackedAlerts('one').save(byKey(good), []);
    await notified('one').save(new Map([[groupKey(group), group]]), []);
    expect(await trackedAlerts('one').load()).toEqual([good]);
    expect(await notified('one').load()).toEqual([group]);
    await connection.close();
  });

  it('are found where an older subnetd has called them incidents', async () => {
    const address = await databases.create();
    const connection = await (address.kind === 'sqlite' ? openSqlite(address.path) : openPostgres(address.url));
    await migrate(connection, migrations.slice(0, 6));
    const kept = alert('a', 'firing');
    await connection.exclusively(({ run }) =>
      run(`insert into instance_state (instance, kind, key, value)
        values ('one', 'incident', 'k', '${JSON.stringify(kept).replaceAll("'", "''")}')`),
    );
    await connection.close();
    const newer = await openDatabase(address);
    expect(await (await createRepositories(newer)).alerts(alone('one')).load()).toEqual([kept]);
    await newer.close();
  });
});
