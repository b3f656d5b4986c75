import { expect, test } from 'vitest';
import { projectType } from '../../src/platform/api/resources.ts';
import { createRepositories } from '../../src/store/create-repositories.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { connectFor, hookPostgres } from '../support/postgres-hooks.ts';

const postgres = hookPostgres();

test('a write that PostgreSQL ends in favour of another one is made again, once', async () => {
  const url = await postgres.createDatabase();
  const connection = await openPostgres(url);
  await migrate(connection);
  const failures: unknown[] = [];
  const { platform } = await createRepositories(connection, (error) => void failures.push(error));
  try {
    // An operator locks the audit trail, then the records; subnetd the records, then the trail. Who waits longest finds the deadlock.
    const operator = await connectFor(url);
    await operator.query(`set deadlock_timeout = '1min'; begin; lock table audit_chain`);
    const author = { statedBy: 1, owner: 1, credential: 'key 1', at: '2026-01-31T12:00:00.000Z', ip: null };
    const adding = platform.add(projectType, { ContractName: 'Loan', IsDeleted: false }, author);
    const observer = await connectFor(url);
    const waiting = `select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await observer.query<{ n: number }>(waiting)).rows[0]?.n).toBe(1);
    await operator.query('lock table project_type');
    const ended = `select deadlocks::int as n from pg_stat_database where datname = current_database()`;
    await expect.poll(async () => (await observer.query<{ n: number }>(ended)).rows[0]?.n, { timeout: 10_000 }).toBe(1);
    await operator.query('commit');
    expect(await adding).toMatchObject({ ok: true });
    expect(await platform.list(projectType, 0, 10)).toMatchObject([{ ContractName: 'Loan' }]);
    expect(failures).toEqual([]);
  } finally {
    await connection.close();
  }
}, 60_000);
