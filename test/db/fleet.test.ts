import { describe, expect, it } from 'vitest';
import { createStores } from '../../src/db/create-stores.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import type { FleetMember, FleetSubnet } from '../../src/model/fleet.ts';
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

  it('knows an instance whose subnets another version has written', async () => {
    const { store, connection } = await open();
    await store.write(member('a'));
    const lent = await connection.lend();
    await lent.query(`update fleet_member set subnets = '[{"name":"devnet"}]'`, []);
    lent.release();
    expect(await store.list()).toEqual([member('a', { subnets: [] })]);
    await connection.close();
  });
});
