import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { describeCause } from '../../src/lib/database-failure.ts';
import { createDatabaseLink } from '../../src/store/create-database-link.ts';
import { tablesOf } from '../../src/store/migrate.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { eventually } from '../support/cli.ts';
import { DATABASE_KINDS, type Databases, startDatabases } from '../support/databases.ts';

describe.each(DATABASE_KINDS)('%s', (kind) => {
  let databases: Databases;
  beforeAll(async () => {
    databases = await startDatabases(kind);
  }, 60_000);
  afterAll(() => databases?.stop());

  const isThere = { sqlite: 'sqlite_schema where name', postgres: 'pg_tables where tablename' }[kind];

  it('has each table that is looked for', async () => {
    const connection = await openDatabase(await databases.create());
    onTestFinished(connection.close);
    expect(tablesOf(kind).length).toBeGreaterThan(20);
    for (const name of tablesOf(kind))
      expect(await connection.column(`select 1 from ${isThere} = '${name}'`), name).toEqual(['1']);
  });

  it('of which a table is gone is down with a line that names it, and up again once it is back', async () => {
    const address = await databases.create();
    const outages: (readonly [string, string])[] = [];
    const link = createDatabaseLink({
      address,
      onUp: () => {},
      onDown: (outage, error) => void outages.push([outage, describeCause(error).message]),
      checkEveryMs: 50,
      writeEveryMs: 50,
    });
    onTestFinished(link.stop);
    await eventually(() => expect(link.isUp()).toBe(true));
    const other = await openDatabase(address);
    onTestFinished(other.close);
    await other.exclusively(({ run }) => run('alter table mail rename to mail_away'));
    await eventually(() => expect(link.isUp()).toBe(false));
    expect(outages).toEqual([
      [
        'a table of the database is missing: what needs it fails, the rest works; to get it back, stop subnetd and restore the last backup',
        'the database has no table mail',
      ],
    ]);
    expect(await (await link.openStores()).plannedWork.list(0)).toEqual([]);
    await other.exclusively(({ run }) => run('alter table mail_away rename to mail'));
    await eventually(() => expect(link.isUp()).toBe(true));
  });
});
