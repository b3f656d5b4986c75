import Database from 'better-sqlite3';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { describeCause } from '../../src/lib/database-failure.ts';
import { projectType } from '../../src/platform/api/resources.ts';
import { createRepositories } from '../../src/store/create-repositories.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { hookPostgres } from '../support/postgres-hooks.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const postgres = hookPostgres();

const SECRET = 'swordfish';
const failureOf = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );

it.each([
  [`select '${SECRET}'::integer`, '22P02', 'invalid input syntax for type integer'],
  [`select '${SECRET}'::timestamptz`, '22007', 'invalid input syntax for type timestamp with time zone'],
  [
    `create temp table t (a text unique); insert into t values ('${SECRET}'), ('${SECRET}')`,
    '23505',
    'duplicate key value violates unique constraint "t_a_key"',
  ],
  [
    `create temp table t (a text check (a = '')); insert into t values ('${SECRET}')`,
    '23514',
    'new row for relation "t" violates check constraint "t_a_check"',
  ],
])('what PostgreSQL says of %s is logged without the value', async (sql, code, message) => {
  const client = new pg.Client({ connectionString: await postgres.createDatabase() });
  await client.connect();
  onTestFinished(() => client.end());
  expect(describeCause(await failureOf(client.query(sql)))).toEqual({ code, message });
});

it('a stored value that is not JSON is not quoted', async () => {
  const path = pathOf('subnetd.db');
  const connection = await openDatabase({ kind: 'sqlite', path });
  cleanups.push(connection.close);
  const { platform: store } = await createRepositories(connection);
  const author = { statedBy: 1, owner: 1, credential: 'key 1', at: '2026-01-31T12:00:00.000Z', ip: null };
  await store.add(projectType, { ContractName: 'name', IsDeleted: false }, author);
  const other = new Database(path);
  other.prepare('update audit_event set changes = ?').run(SECRET);
  other.close();
  const failure = await failureOf(store.searchAudit({ limit: 10 }));
  expect(describeCause(failure)).toEqual({ message: 'a stored value is not JSON' });
});
