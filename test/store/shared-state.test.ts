import { describe, expect, it, onTestFinished } from 'vitest';
import type { DatabaseAddress } from '../../src/store/database-url.ts';
import { type Api, platformSettings, startApi, startPlatform } from '../support/api.ts';
import { eventually } from '../support/cli.ts';
import { DATABASE_KINDS } from '../support/databases.ts';
import { connectFor, hookPostgres } from '../support/postgres-hooks.ts';
import { useDatabases } from '../support/use-api.ts';

const postgres = hookPostgres();

const start = async (address: DatabaseAddress, other?: Parameters<typeof startApi>[1]): Promise<Api> => {
  const api = await startApi(address, other);
  onTestFinished(api.stop);
  return api;
};

describe('on PostgreSQL', () => {
  it('when two replicas deactivate the last two admin users at once, one waits and is refused', async () => {
    const url = await postgres.createDatabase();
    const address = { kind: 'postgres', url } as const;
    const [one, two] = [await start(address), startPlatform(platformSettings(address))];
    onTestFinished(two.stop);
    const user = (name: string, more: object) => ({
      FirstName: 'F',
      LastName: 'L',
      UserName: name,
      Password: '********',
      EmailID: `${name}@example.com`,
      ...more,
    });
    const added = await one.send(
      'POST',
      '/api/AdminUser/Add',
      user('other', { Password: 'long enough', IsActive: true, CreateBy: 1 }),
    );
    const UserID = added.data.UserID;
    // Both rows are held, so that each of the two gets as far as it can without the other's end.
    const client = await connectFor(url);
    await client.query('begin');
    await client.query('select 1 from admin_user for update');
    // What is going on is the same to the end of a transaction, so another sees it.
    const observer = await connectFor(url);
    const first = one.send('PUT', '/api/AdminUser/Update/1', user('root', { UserID: 1, IsActive: false, UpdateBy: 1 }));
    const body = JSON.stringify(user('other', { UserID, IsActive: false, UpdateBy: 1, apiKey: one.key }));
    const headers = { 'content-type': 'application/json' };
    const request = new Request('http://localhost/api/AdminUser/Update/1', { method: 'PUT', headers, body });
    const second = two.answer({ request, remoteAddress: '127.0.0.1' }).then((answer) => answer.json());
    await eventually(async () => {
      const { rows } = await observer.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      expect(rows).toHaveLength(2);
    });
    await client.query('commit');
    const outcomes = [(await first).appErrorCode, ((await second) as { appErrorCode?: number }).appErrorCode];
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(1);
    const { rows } = await client.query('select id from admin_user where is_active = 1');
    expect(rows).toHaveLength(1);
  });

  it('limits that are full again are forgotten from time to time, and one that is used up holds on', async () => {
    const url = await postgres.createDatabase();
    const address = { kind: 'postgres', url } as const;
    const { key } = await start(address);
    const limits = { rate: 0.05, burst: 3, signIns: 0 };
    const platform = startPlatform(platformSettings(address, { limits }), { cleanEveryMs: 20 });
    onTestFinished(platform.stop);
    const code = async () => {
      const request = new Request(`http://localhost/api/Sector/ListAll/0?apiKey=${key}`);
      const answer = await platform.answer({ request, remoteAddress: '127.0.0.1' });
      return ((await answer.json()) as { appErrorCode?: number }).appErrorCode;
    };
    const client = await connectFor(url);
    const keysLike = async (like: string) =>
      (await client.query('select key from rate_limit where key like $1', [like])).rows.length;
    const cleaned = async (name: string) => {
      await client.query('insert into rate_limit (key, free_at) values ($1, 0)', [name]);
      await eventually(async () => expect(await keysLike(name)).toBe(0));
    };
    expect(await Promise.all([code(), code(), code()])).toEqual([undefined, undefined, undefined]);
    expect(await code()).toBe(1102);
    for (const name of ['first', 'second', 'third']) await cleaned(name);
    expect(await code()).toBe(1102);
    expect(await keysLike('address %')).toBe(1);
  });
});

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);

  it('the last use of a key is kept, to the minute, and that of another stays as it was', async () => {
    const address = await databases.create();
    const { key, store } = await start(address);
    let time = Date.parse('2026-01-31T12:00:00.000Z');
    const platform = startPlatform(platformSettings(address), { now: () => time });
    onTestFinished(platform.stop);
    const use = async () => {
      const request = new Request(`http://localhost/api/Sector/ListAll/0?apiKey=${key}`);
      expect((await platform.answer({ request, remoteAddress: '127.0.0.1' })).status).toBe(200);
    };
    const lastUsed = async () => (await store.listKeys()).map(({ lastUsedAt }) => lastUsedAt);
    expect(await lastUsed()).toEqual([null, null]);
    await use();
    await eventually(async () => expect(await lastUsed()).toEqual(['2026-01-31T12:00:00.000Z', null]));
    time += 59_000;
    await use();
    time += 1_000;
    await use();
    await eventually(async () => expect(await lastUsed()).toEqual(['2026-01-31T12:01:00.000Z', null]));
    // The clock of the machine was a day ahead, and is set right.
    time -= 24 * 60 * 60_000;
    await use();
    await eventually(async () => expect(await lastUsed()).toEqual(['2026-01-30T12:01:00.000Z', null]));
  });
});
