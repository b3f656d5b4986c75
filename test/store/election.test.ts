import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { Lock } from '../../src/model/fleet.ts';
import { createElection, TRUST_MS } from '../../src/store/create-election.ts';
import { openLockSession } from '../../src/store/open-lock-session.ts';
import { type OwnPostgres, startPostgres } from '../support/postgres.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

vi.setConfig({ testTimeout: 180_000 });

let postgres: OwnPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres?.stop());

let url: string;
beforeEach(async () => {
  url = await postgres.createDatabase();
});

/** Longer than a lock may take to move, on a slow machine. */
const WITHIN = { timeout: 60_000, interval: 20 };
const realClock = { monotonic: () => performance.now(), wall: Date.now };

/** An instance that stands for the locks, and the changes that it has reported. */
function stand(at = url, locks: readonly Lock[] = ['shard-0'], clock = realClock) {
  const changes: string[] = [];
  const election = createElection({
    openSession: (onLost) => openLockSession(at, onLost),
    clock,
    onChange: (lock, isHeld) => void changes.push(`${lock} ${isHeld ? 'held' : 'lost'}`),
  });
  onTestFinished(election.stop);
  const held = new Map(locks.map((lock) => [lock, election.standFor(lock)]));
  return { election, changes, holds: (lock: Lock = 'shard-0') => held.get(lock)?.() === true };
}
type Instance = ReturnType<typeof stand>;

/** Looks all the time whether two hold a lock at once, until `end`. */
function watchForTwo(instances: readonly Instance[]) {
  let looks = 0;
  let twice = 0;
  const timer = setInterval(() => {
    looks += 1;
    if (instances.filter(({ holds }) => holds()).length > 1) twice += 1;
  }, 2);
  onTestFinished(() => clearInterval(timer));
  return { end: () => clearInterval(timer), seen: () => ({ looked: looks > 100, twice }) };
}

/** Rows of a query to the database. */
async function query<T>(text: string): Promise<readonly T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** The locks of the database, as its server has them. */
async function readLocks(): Promise<readonly { readonly pid: number; readonly key: number }[]> {
  const rows = await query<{ pid: number; key: number }>(`select pid, objid::int8::float8 as key from pg_locks
    where locktype = 'advisory' and granted and classid = 10545002
      and database = (select oid from pg_database where datname = current_database())`);
  return rows.map(({ pid, key }) => ({ pid, key: key | 0 })).toSorted((one, other) => one.key - other.key);
}

const untilHeld = (instance: Instance) => expect.poll(() => instance.holds(), WITHIN).toBe(true);

/** Makes a pair of which the first holds the lock, and reports how long it takes to move after `lose`. */
async function moveLock(first: Instance, second: () => Instance, lose: () => unknown, how: string): Promise<Instance> {
  await untilHeld(first);
  const other = second();
  const watch = watchForTwo([first, other]);
  await expect.poll(() => other.election.locks().get('shard-0')).toBe(false);
  const start = performance.now();
  await lose();
  await untilHeld(other);
  console.log(`${how}: the lock moved in ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  watch.end();
  expect(watch.seen()).toEqual({ looked: true, twice: 0 });
  return other;
}

it('gives each lock to one of all instances, and the locks of an instance that stops to another', async () => {
  const locks = ['shard-0', 'shard-1', 'retention', 'api-retention'] as const;
  const [first, second] = [stand(url, locks), stand(url, locks)];
  await expect.poll(() => locks.filter((lock) => first.holds(lock) !== second.holds(lock)), WITHIN).toEqual(locks);
  expect((await readLocks()).map(({ key }) => key)).toEqual([-2, -1, 0, 1]);
  await first.election.stop();
  expect(locks.filter((lock) => first.holds(lock))).toEqual([]);
  await expect.poll(() => locks.filter((lock) => second.holds(lock)), WITHIN).toEqual(locks);
  const all = locks.map((lock) => `${lock} held`).toSorted();
  await expect.poll(() => second.changes.toSorted(), WITHIN).toEqual(all);
  await second.election.stop();
  expect(await readLocks()).toEqual([]);
});

it('moves a lock from an instance whose connection is silent, and which believes to have it no longer', async () => {
  const proxy = await startTcpProxy(Number(new URL(url).port));
  onTestFinished(proxy.stop);
  const first = stand(Object.assign(new URL(url), { port: String(proxy.port) }).href);
  await expect.poll(() => first.changes, WITHIN).toEqual(['shard-0 held']);
  await moveLock(first, stand, () => proxy.freeze('new ones hang'), 'connection frozen');
  expect(first.holds()).toBe(false);
  await expect.poll(() => first.changes, WITHIN).toEqual(['shard-0 held', 'shard-0 lost']);
});

it('moves a lock when the server ends the session of its holder, which cannot hear that', async () => {
  const proxy = await startTcpProxy(Number(new URL(url).port));
  onTestFinished(proxy.stop);
  const first = stand(Object.assign(new URL(url), { port: String(proxy.port) }).href);
  const lose = async () => {
    proxy.freeze('new ones hang');
    for (const { pid } of await readLocks()) await postgres.query(`select pg_terminate_backend(${pid})`);
  };
  await moveLock(first, stand, lose, 'session ended unheard');
});

it('never has two holders while PostgreSQL ends sessions and restarts, and has one in the end', async () => {
  const instances = [stand(), stand(), stand()];
  const watch = watchForTwo(instances);
  const untilOne = () =>
    expect.poll(() => instances.filter(({ holds }) => holds()).length, { timeout: 60_000, interval: 20 }).toBe(1);
  await untilOne();
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    await postgres.halt(signal);
    await expect.poll(() => instances.some(({ holds }) => holds())).toBe(false);
    await postgres.resume();
    const start = performance.now();
    await untilOne();
    console.log(`PostgreSQL restarted: held again after ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  }
  for (const { pid } of await readLocks()) await postgres.query(`select pg_terminate_backend(${pid})`);
  await expect.poll(() => instances.some(({ holds }) => holds())).toBe(false);
  await untilOne();
  watch.end();
  expect(watch.seen()).toEqual({ looked: true, twice: 0 });
  expect(await readLocks()).toHaveLength(1);
});

it('asks again before it holds a lock after the machine was suspended, which only the wall clock shows', async () => {
  let suspendedMs = 0;
  const clock = { monotonic: () => performance.now(), wall: () => Date.now() + suspendedMs };
  const instance = stand(url, ['shard-0'], clock);
  await untilHeld(instance);
  suspendedMs += TRUST_MS;
  expect(instance.holds()).toBe(false);
  await untilHeld(instance);
  suspendedMs -= 3_600_000;
  expect(instance.holds()).toBe(true);
});

it('holds a lock that it just got after an earlier holder must know of its loss', async () => {
  let at = 1_000;
  const clock = { monotonic: () => at, wall: () => at };
  const instance = stand(url, ['shard-0'], clock);
  await expect.poll(readLocks).toHaveLength(1);
  const { pid } = (await readLocks())[0] ?? { pid: 0 };
  const lastAsked = async () =>
    (await query<{ at: Date }>(`select query_start as at from pg_stat_activity where pid = ${pid}`))[0]?.at.getTime();
  const first = await lastAsked();
  await expect.poll(lastAsked, WITHIN).not.toBe(first);
  expect(instance.holds()).toBe(false);
  at += TRUST_MS;
  await untilHeld(instance);
  expect(await readLocks()).toEqual([{ pid, key: 0 }]);
});

it('takes no lock of a server that takes no writes, as a standby has locks of its own', async () => {
  const name = new URL(url).pathname.slice(1);
  await postgres.query(`alter database ${name} set default_transaction_read_only = on`);
  await expect(openLockSession(url, () => {})).rejects.toThrow('the server does not accept writes');
  expect(await readLocks()).toEqual([]);
});

it('tells the server to end its session when it falls silent', async () => {
  const session = await openLockSession(url, () => {});
  onTestFinished(session.close);
  await session.tryLocks(['retention']);
  const gone = await openLockSession(url, () => {});
  onTestFinished(gone.close);
  await expect.poll(readLocks, WITHIN).toEqual([]);
  await expect(session.tryLocks([])).rejects.toThrow();
  expect(await gone.close()).toBeUndefined();
});

it('starts and stops without a server, and says nothing of locks', async () => {
  const instance = stand('postgres://127.0.0.1:1/none');
  expect(instance.holds()).toBe(false);
  await instance.election.stop();
  expect(instance.election.standFor('retention')()).toBe(false);
  expect(instance.changes).toEqual([]);
});
