import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { describeCause } from '../../src/lib/database-failure.ts';
import { projectType } from '../../src/platform/api/resources.ts';
import type { PlatformStore } from '../../src/platform/model/platform-store.ts';
import { createDatabaseLink } from '../../src/store/create-database-link.ts';
import { createRepositories } from '../../src/store/create-repositories.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openPostgres, type PostgresOptions } from '../../src/store/open-postgres.ts';
import { connectFor, hookPostgres, relayTo } from '../support/postgres-hooks.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';

const postgres = hookPostgres();

let url: string;
beforeEach(async () => {
  url = await postgres.createDatabase();
});

const author = { statedBy: 1, owner: 1, credential: 'key 1', at: '2026-01-31T12:00:00.000Z', ip: null };
const add = (store: PlatformStore, name: string) =>
  store.add(projectType, { ContractName: name, IsDeleted: false }, author);
const addMany = (store: PlatformStore, count: number) =>
  Promise.allSettled(Array.from({ length: count }, (_, at) => add(store, `contract ${at}`)));

async function open(to: string, options: PostgresOptions = {}) {
  const connection = await openPostgres(to, options);
  onTestFinished(connection.close);
  await migrate(connection);
  const failures: unknown[] = [];
  const { platform } = await createRepositories(connection, (error) => void failures.push(error));
  return { connection, store: platform, failures };
}

/** Locks the project types, as an operator's own statement may. They stay locked until the end of `unlock`. */
async function lock(): Promise<{ unlock: (afterSeconds?: number) => Promise<void> }> {
  const client = await connectFor(url);
  await client.query('begin; lock table project_type');
  return { unlock: async (seconds = 0) => void (await client.query(`select pg_sleep(${seconds}); commit`)) };
}

/** Waits for the calls that wait for the lock, which have every connection. */
async function untilAllWait(count: number): Promise<void> {
  const client = await connectFor(url);
  const waiting = `select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await client.query<{ n: number }>(waiting)).rows[0]?.n).toBe(count);
}

it('calls that wait longer for a connection than one takes to make are answered, and the database is not down', async () => {
  const outages: string[] = [];
  let checks = 0;
  const link = createDatabaseLink({
    address: { kind: 'postgres', url },
    onUp: () => {
      checks += 1;
    },
    onDown: (outage) => void outages.push(outage),
    checkEveryMs: 100,
  });
  onTestFinished(link.stop);
  const { platform } = await link.open();
  const { unlock } = await lock();
  const adding = addMany(platform, 40);
  await untilAllWait(10);
  await unlock(3.5);
  expect((await adding).filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(await platform.list(projectType, 0, 100)).toHaveLength(40);
  expect({ outages, checks, isUp: link.isUp() }).toEqual({ outages: [], checks: 1, isUp: true });
  expect((await link.open()).platform).toBe(platform);
});

it('a call that waits too long is refused as one too many, not as a failure, and has stored nothing', async () => {
  const warnings: string[] = [];
  const { connection, store, failures } = await open(url, {
    turnWithinMs: 200,
    onWarning: (text) => void warnings.push(text),
  });
  const { unlock } = await lock();
  const first = addMany(store, 10);
  await untilAllWait(10);
  const late = await Promise.allSettled(['late 1', 'late 2'].map((name) => add(store, name)));
  expect(late.map((one) => one.status === 'rejected' && describeCause(one.reason))).toEqual(
    Array(2).fill({ code: 'DATABASE_OVERLOADED', message: 'too many calls wait for the database' }),
  );
  // The check waits for none of them.
  await connection.ping(false);
  await unlock();
  expect((await first).every(({ status }) => status === 'fulfilled')).toBe(true);
  expect((await add(store, 'next')).ok).toBe(true);
  const names = (await store.list(projectType, 0, 100)).map(({ ContractName }) => ContractName);
  expect(names.sort()).toEqual([...Array.from({ length: 10 }, (_, at) => `contract ${at}`), 'next'].sort());
  expect(failures).toEqual([]);
  expect(warnings).toEqual([
    'requests wait longer than 0.2 s for the database and are refused with code 1102; look for slow or blocked statements (pg_stat_activity)',
  ]);
});

it('calls that wait when the database is closed fail at once', async () => {
  const { connection, store } = await open(url);
  const { unlock } = await lock();
  const first = addMany(store, 10);
  await untilAllWait(10);
  const next = add(store, 'next');
  next.catch(() => {});
  const closed = connection.close();
  await expect(next).rejects.toMatchObject({ cause: { message: 'the connection to the database was closed' } });
  await unlock();
  await Promise.all([first, closed]);
});

async function openThroughProxy(): Promise<Awaited<ReturnType<typeof open>> & { readonly proxy: TcpProxy }> {
  const { proxy, proxied } = await relayTo(url);
  return { ...(await open(proxied, { answerWithinMs: 1_000 })), proxy };
}
const isPing = (piece: string) => piece.includes('transaction_read_only');

it('a check without an answer counts for nothing while others get theirs, and for an outage when nobody does', async () => {
  const { connection, store, proxy } = await openThroughProxy();
  proxy.onRequest = (piece) => (isPing(piece) ? 'is lost' : 'passes');
  let isOver = false;
  const checked = connection.ping(false).finally(() => {
    isOver = true;
  });
  let added = 0;
  for (; !isOver; added += 1) await add(store, `contract ${added}`);
  await checked;
  expect(await store.list(projectType, 0, 1_000)).toHaveLength(Math.min(added, 1_000));
  proxy.onRequest = () => 'is lost';
  await expect.poll(() => connection.ping(false).then(String, String)).toMatch(/timeout/i);
});

it('a server that gives no more connections answers by those that it gave', async () => {
  const name = new URL(url).pathname.slice(1);
  await postgres.query(`create role few_${name} login connection limit 3`);
  await postgres.query(`alter database ${name} owner to few_${name}`);
  const { connection, store } = await open(Object.assign(new URL(url), { username: `few_${name}` }).href);
  const { unlock } = await lock();
  const adding = addMany(store, 12);
  await untilAllWait(3);
  await connection.ping(false);
  await unlock();
  expect((await adding).filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(await store.list(projectType, 0, 100)).toHaveLength(12);
});
