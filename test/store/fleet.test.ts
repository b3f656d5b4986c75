import { describe, expect, it } from 'vitest';
import type { FleetMember, FleetSubnet } from '../../src/model/fleet.ts';
import { createStores } from '../../src/store/create-stores.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { DATABASE_KINDS } from '../support/databases.ts';
import { useDatabases } from '../support/use-api.ts';

const subnet: FleetSubnet = {
  ...{ name: 'devnet', isReady: true, keeping: 'now', targets: 7, failing: 1, problemCount: 1 },
  headline: { standing: 'warn', sentence: 'devnet runs', detail: '', since: 5 },
  problems: [
    { problem: 'node_down', severity: 'warning', name: 'n1', since: 5, summary: 'n1 is down', fix: 'start it' },
  ],
};

const member = (instance: string, over: Partial<FleetMember> = {}): FleetMember => ({
  ...{ instance, shard: { index: 0, total: 3 }, beat: 1, writtenAt: Date.parse('2026-12-01T22:00:00.123Z') },
  subnets: [subnet],
  ...over,
});

describe.each(DATABASE_KINDS)('the fleet in %s', (kind) => {
  const databases = useDatabases(kind);
  const open = async () => {
    const connection = await openDatabase(await databases.create());
    return { store: createStores(connection).fleet, connection };
  };

  it('has one row for each instance, the last that it wrote', async () => {
    const { store, connection } = await open();
    await store.write(member('b'));
    await store.write(member('a', { shard: { index: 2, total: 3 } }));
    const later = member('b', { beat: 2, shard: { index: 1, total: 4 }, subnets: [] });
    await store.write(later);
    expect(await store.list()).toEqual([member('a', { shard: { index: 2, total: 3 } }), later]);
    await connection.close();
  });

  it.each([
    ['no JSON', '{not json'],
    ['no list', '{"name":"devnet"}'],
    ['nothing', '[null]'],
    ['no members', '[{"name":"devnet"}]'],
    ['no name', JSON.stringify([{ ...subnet, name: undefined }])],
    ['a problem that is none', JSON.stringify([{ ...subnet, problems: [null] }])],
    ['a problem since no time', JSON.stringify([{ ...subnet, problems: [{ ...subnet.problems[0], since: 1e300 }] }])],
    ['another standing', JSON.stringify([{ ...subnet, headline: { standing: 'purple', sentence: '', detail: '' } }])],
    ['a word as a number', JSON.stringify([{ ...subnet, targets: 'many' }])],
  ])('knows an instance whose subnets another version has written with %s', async (_, subnets) => {
    const { store, connection } = await open();
    await store.write(member('a'));
    const lent = await connection.lend();
    await lent.query(`update fleet_member set subnets = '${subnets}'`, []);
    lent.release();
    expect(await store.list()).toEqual([member('a', { subnets: [] })]);
    await connection.close();
  });

  it('reads of a subnet that a later version has written what it knows', async () => {
    const { store, connection } = await open();
    await store.write(member('a'));
    const lent = await connection.lend();
    const later = [{ ...subnet, mood: 'new', problems: [{ ...subnet.problems[0], weight: 7 }] }, { name: 'unlike' }];
    await lent.query(`update fleet_member set subnets = '${JSON.stringify(later)}'`, []);
    lent.release();
    expect(await store.list()).toEqual([member('a')]);
    await connection.close();
  });

  it.each(["written_at = 'soon'", 'shard = 3', 'shard = -1', 'shard = 0, total = 0'])(
    'leaves out a row that no subnetd writes: %s',
    async (change) => {
      const { store, connection } = await open();
      await store.write(member('a'));
      await store.write(member('b'));
      const lent = await connection.lend();
      await lent.query(`update fleet_member set ${change} where instance = 'a'`, []);
      lent.release();
      expect(await store.list()).toEqual([member('b')]);
      await connection.close();
    },
  );
});
