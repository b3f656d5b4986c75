import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { describeCause, isDatabaseFailure } from '../../src/lib/database-failure.ts';
import { projectType } from '../../src/platform/api/resources.ts';
import { createDatabaseLink } from '../../src/store/create-database-link.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { connectFor, hookPostgres, relayTo } from '../support/postgres-hooks.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';

const postgres = hookPostgres();

let url: string;
let proxied: string;
let proxy: TcpProxy;
beforeEach(async () => {
  url = await postgres.createDatabase();
  ({ proxy, proxied } = await relayTo(url));
});

const WITHIN = { timeout: 60_000, interval: 20 };
const author = { statedBy: 1, owner: 1, credential: 'key 1', at: '2026-01-31T12:00:00.000Z', ip: null };

/** A link through the proxy, with the outages that it has reported. */
function link() {
  const outages: string[] = [];
  const opened = createDatabaseLink({
    address: { kind: 'postgres', url: proxied },
    onUp: () => {},
    onDown: (_outage, error) => void outages.push(describeCause(error).message),
    checkEveryMs: 100,
  });
  onTestFinished(opened.stop);
  const add = async (ContractName: string) =>
    (await opened.open()).platform.add(projectType, { ContractName, IsDeleted: false }, author);
  return { ...opened, outages, add };
}

it('connections that fall silent while they are idle are replaced before a call needs them, and the database is not down', async () => {
  const { add, outages, isUp } = link();
  const client = await connectFor(url);
  const sessions = async (): Promise<readonly number[]> =>
    (
      await client.query<{ pid: number }>(
        "select pid from pg_stat_activity where application_name = 'subnetd' and datname = current_database()",
      )
    ).rows.map(({ pid }) => pid);
  await Promise.all(Array.from({ length: 8 }, (_, at) => add(`contract ${at}`)));
  const silent = new Set(await sessions());
  expect(silent.size).toBeGreaterThan(5);
  proxy.freeze('new ones pass');
  // The check has noticed when it has opened another one.
  await expect.poll(async () => (await sessions()).every((pid) => silent.has(pid)), WITHIN).toBe(false);
  expect((await add('next')).ok).toBe(true);
  expect([outages, isUp()]).toEqual([[], true]);
}, 120_000);

it('a database that falls silent is down, calls fail within their bound, and it is up again when it answers', async () => {
  const { add, outages, isUp } = link();
  const acknowledged: string[] = [];
  const failures: unknown[] = [];
  let sent = 0;
  let isOver = false;
  const write = async () => {
    while (!isOver) {
      sent += 1;
      const name = `contract ${sent}`;
      await add(name).then(
        () => acknowledged.push(name),
        async (error) => {
          failures.push(error);
          await new Promise((resolve) => setTimeout(resolve, 20));
        },
      );
    }
  };
  const writers = Promise.all(Array.from({ length: 6 }, write));
  const untilWritten = async () => {
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length, WITHIN).toBeGreaterThan(before + 20);
  };
  await untilWritten();
  for (const next of ['new ones pass', 'new ones hang'] as const) {
    proxy.freeze(next);
    if (next === 'new ones hang') {
      await expect.poll(isUp, WITHIN).toBe(false);
      proxy.thaw();
      await expect.poll(isUp, WITHIN).toBe(true);
    }
    await untilWritten();
  }
  isOver = true;
  await writers;
  expect(failures.length).toBeGreaterThan(0);
  expect(failures.filter((error) => !isDatabaseFailure(error))).toEqual([]);
  expect(outages).toEqual([expect.stringMatching(/timeout/)]);
  const client = await connectFor(url);
  const { rows } = await client.query('select contract_name as name from project_type');
  const kept = new Set(rows.map(({ name }) => name));
  expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
}, 180_000);

it('a row that a transaction has locked is free soon after its connection falls silent', async () => {
  await (await openDatabase({ kind: 'postgres', url })).close();
  const connection = await openPostgres(proxied, { answerWithinMs: 1_000 });
  onTestFinished(connection.close);
  const change = "insert into kept_value (name, value) values ('a', 'b') on conflict (name) do update set value = 'b'";
  const lent = await connection.lend();
  await lent.query('begin', []);
  await lent.query(change, []);
  proxy.freeze('new ones pass');
  const lost = lent.query('commit', []);
  await expect(lost).rejects.toThrow('timeout');
  // It is not asked again, and not waited for a second time.
  await expect(lent.query('rollback', [])).rejects.toBe(await lost.catch((error: unknown) => error));
  lent.release();
  const other = await openPostgres(url);
  onTestFinished(other.close);
  const free = await other.lend();
  expect(await free.query(change, [])).toMatchObject({ command: 'INSERT' });
  free.release();
}, 60_000);

it('tells the server to forget a peer that is gone', async () => {
  const connection = await openPostgres(url);
  onTestFinished(connection.close);
  expect(await connection.column('show tcp_keepalives_idle')).toEqual(['10']);
  expect(await connection.column('show tcp_user_timeout')).toEqual(['25000']);
});
