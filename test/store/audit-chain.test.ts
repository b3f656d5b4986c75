import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { projectType } from '../../src/platform/api/resources.ts';
import { formatHead, type TrailCheck, type TrailHead } from '../../src/platform/model/audit-trail.ts';
import type { SecurityEvent } from '../../src/platform/model/security-event.ts';
import { commitTo, linkTo, makeSalt } from '../../src/store/audit-chain.ts';
import { createRepositories, type Repositories } from '../../src/store/create-repositories.ts';
import type { DatabaseConnection } from '../../src/store/database-connection.ts';
import type { DatabaseAddress } from '../../src/store/database-url.ts';
import { migrate } from '../../src/store/migrate.ts';
import { migrations } from '../../src/store/migrations.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import { platformSettings, startPlatform } from '../support/api.ts';
import { DATABASE_KINDS } from '../support/databases.ts';
import { useDatabases } from '../support/use-api.ts';

const AT = '2026-01-31T12:00:00.000Z';
const author = { statedBy: 1, owner: 1, credential: 'key 1', at: AT, ip: '192.0.2.7' };
const SECRET = 'the newest secret key of all of these tests';

interface Opened {
  readonly connection: DatabaseConnection;
  readonly store: Repositories['platform'];
}

describe.each(DATABASE_KINDS)('the audit trail in %s', (kind) => {
  const databases = useDatabases(kind);

  const openAt = async (address: DatabaseAddress, ...secrets: string[]): Promise<Opened> => {
    const connection = await openDatabase(address);
    onTestFinished(connection.close);
    const { platform: store } = await createRepositories(connection, undefined, secrets);
    return { connection, store };
  };
  const add = ({ store }: Opened, name: string) =>
    store.add(projectType, { ContractName: name, IsDeleted: false }, author);
  const filled = async (...secrets: string[]): Promise<Opened & { readonly address: DatabaseAddress }> => {
    const address = await databases.create();
    const opened = await openAt(address, ...secrets);
    for (const name of ['one', 'two', 'three', 'four']) await add(opened, name);
    return { ...opened, address };
  };
  const record = ({ store }: Opened, ...times: string[]) =>
    store.addSecurityEvents(
      times.map(
        (at): SecurityEvent => ({
          ...{ at, action: 'sign-in', subject: { resource: 'AdminUser', id: 1 }, owner: null, credential: 'none' },
          ...{ ip: '192.0.2.7', requestId: null, count: 1 },
        }),
      ),
    );
  const run = ({ connection }: Opened, ...statements: string[]) =>
    connection.exclusively(async (session) => {
      for (const statement of statements) await session.run(statement);
    });
  const check = async ({ store }: Opened, ...kept: TrailHead[]) => {
    const [changes, security] = await store.checkTrail(kept);
    return { changes, security } as { changes: TrailCheck; security: TrailCheck };
  };
  const brokenAt = async (opened: Opened, ...kept: TrailHead[]) => (await check(opened, ...kept)).changes.broken?.id;

  it('is a chain that holds, with a head for each of its two parts', async () => {
    const opened = await filled();
    await record(opened, AT, AT);
    const { changes, security } = await check(opened);
    expect(changes).toMatchObject({ rows: 4, unchained: 0, keyed: 0, broken: undefined, head: { id: 4 } });
    expect(security).toMatchObject({ rows: 2, broken: undefined, head: { id: 6 } });
    expect(await opened.store.trailHeads()).toEqual([changes.head, security.head]);
    expect((await opened.store.searchAudit({ limit: 1 }))[0]).not.toHaveProperty('hash');
  });

  it.each([
    ['a changed value', ["update audit_event set changes = replace(changes, 'two', 'too') where id = 2"], 2],
    ['a changed address', ["update audit_event set ip = '192.0.2.8' where id = 2"], 2],
    ['a changed time', ["update audit_event set at = '2026-01-30' where id = 3"], 3],
    ['a deleted row', ['delete from audit_event where id = 2'], 3],
    ['a deleted beginning', ['delete from audit_event where id <= 2'], 3],
    [
      'rows in another order',
      [5, 2, 3].map((to, at) => `update audit_event set id = ${to} where id = ${[2, 3, 5][at]}`),
      2,
    ],
    ['a row without a hash', ['update audit_event set hash = null where id = 3'], 3],
    [
      'a row beside subnetd',
      [
        `insert into audit_event (at, action, resource, record_id, credential, changes)
      values ('${AT}', 'add', 'Sector', 1, 'key 1', '{}')`,
      ],
      5,
    ],
    ['a row passed off as erased', [`update audit_event set erased = 'x', salt = null where id = 3`], 3],
    ['a row moved to the security log', ['update audit_event set is_security = 1 where id = 2'], 3],
    ['a deleted end', ['delete from audit_event where id = 4'], 4],
    ['another end than was noted', ["update audit_chain set hash = 'x' where name = 'changes'"], 4],
  ])('shows %s', async (_what, statements, id) => {
    const opened = await filled();
    await run(opened, ...statements);
    expect(await brokenAt(opened)).toBe(id);
  });

  it('shows a value whose row was passed off as erased with the digest that it had', async () => {
    const opened = await filled();
    const read = async (column: string) =>
      (await opened.connection.column(`select ${column} from audit_event where id = 2`))[0] ?? '';
    const digest = commitTo(await read('salt'), { ip: '192.0.2.7', changes: await read('changes') });
    await run(opened, `update audit_event set erased = '${digest}', salt = null, changes = '{}' where id = 2`);
    expect((await check(opened)).changes.broken?.why).toContain('does not state what is left of the erased rows');
  });

  it('shows what was written into a row of the security log that is passed off as erased', async () => {
    const opened = await filled();
    await record(opened, AT, AT);
    const read = async (column: string) =>
      (await opened.connection.column(`select ${column} from audit_event where id = 5`))[0] ?? '';
    const digest = commitTo(await read('salt'), { ip: await read('ip'), changes: await read('changes') });
    const erase = `update audit_event set erased = '${digest}', salt = null, ip = null, changes = '{}' where id = 5`;
    await run(opened, erase);
    expect((await check(opened)).security.broken).toBeUndefined();
    await run(opened, "update audit_event set ip = '192.0.2.8' where id = 5");
    expect((await check(opened)).security.broken).toMatchObject({
      id: 5,
      why: expect.stringContaining('in its place'),
    });
  });

  it('cannot show by itself that its end is gone with the note of it, and a head that was kept does', async () => {
    const opened = await filled();
    const kept = (await check(opened)).changes.head;
    if (kept === undefined) throw new Error('the chain has no head');
    const hash = (await opened.connection.column('select hash from audit_event where id = 3'))[0];
    await run(
      opened,
      'delete from audit_event where id = 4',
      `update audit_chain set last_id = 3, hash = '${hash}' where name = 'changes'`,
    );
    expect(await check(opened, kept)).toMatchObject({ changes: { broken: undefined, found: [] } });
  });

  it('shows a chain that was computed again, by a head that was kept and by the secret key', async () => {
    const opened = await filled(SECRET);
    const kept = (await check(opened)).changes.head;
    if (kept === undefined) throw new Error('the chain has no head');
    const forge = async () => {
      let before = 'changes after 0';
      for (const id of [1, 2, 3, 4]) {
        const read = async (column: string) =>
          (await opened.connection.column(`select ${column} from audit_event where id = ${id}`))[0] ?? '';
        const salt = await read('salt');
        const changes = (await read('changes')).replace('two', 'too');
        const row = {
          ...{ at: AT, action: 'add', resource: 'ProjectType', record_id: id, stated_by: 1, owner_id: 1 },
          ...{ credential: 'key 1', ip: '192.0.2.7', changes, request_id: null, is_security: 0 },
        };
        before = linkTo(before, row, commitTo(salt, row));
        await run(opened, `update audit_event set changes = '${changes}', hash = '${before}' where id = ${id}`);
      }
      await run(opened, `update audit_chain set hash = '${before}' where name = 'changes'`);
    };
    await forge();
    const withoutKey = { ...opened, store: (await createRepositories(opened.connection)).platform };
    expect(await brokenAt(withoutKey)).toBeUndefined();
    expect(await brokenAt(withoutKey, kept)).toBe(4);
    expect(await brokenAt(opened)).toBe(2);
  });

  it('tells a row without the secret key from those with it, until a later head is kept', async () => {
    const opened = await filled(SECRET);
    const withoutKey = await openAt(opened.address);
    await add(withoutKey, 'five');
    await add(opened, 'six');
    expect(await brokenAt(opened)).toBe(5);
    const { changes } = await check(withoutKey);
    expect(changes).toMatchObject({ keyed: 5, keyedFrom: 1, broken: undefined });
    if (changes.head === undefined) throw new Error('the chain has no head');
    expect(await brokenAt(opened, changes.head)).toBeUndefined();
    const rotated = await openAt(opened.address, 'a key that came after the one before it', SECRET);
    await add(rotated, 'seven');
    expect(await brokenAt(rotated, changes.head)).toBeUndefined();
    expect(await brokenAt(opened, changes.head)).toBe(7);
  });

  it('is one chain when two processes write at once, and writes fail beside others', async () => {
    const address = await databases.create();
    const [one, other] = [await openAt(address), await openAt(address)];
    const names = Array.from({ length: 60 }, (_, index) => `contract ${index}`);
    const written = await Promise.all(names.flatMap((name) => [add(one, name), add(other, name)]));
    await Promise.all([record(one, AT), record(other, AT)]);
    expect(written.filter(({ ok }) => ok)).toHaveLength(60);
    expect(await check(one)).toMatchObject({
      changes: { rows: 60, broken: undefined },
      security: { rows: 2, broken: undefined },
    });
  });

  it('is one chain when two processes take turns, and one of them fails to write in between', async () => {
    const address = await databases.create();
    const [one, other] = [await openAt(address), await openAt(address)];
    for (let turn = 0; turn < 24; turn += 1) {
      const opened = turn % 3 === 0 ? other : one;
      expect(await add(opened, `contract ${turn}`)).toMatchObject({ ok: true });
      if (turn % 5 === 0) expect(await add(opened, `contract ${turn}`)).toMatchObject({ ok: false });
      if (turn % 7 === 0) await record(one, AT);
    }
    expect(await check(one)).toMatchObject({
      changes: { rows: 24, broken: undefined },
      security: { rows: 4, broken: undefined },
    });
  });

  it('holds after the oldest security events are deleted, and shows when more are gone', async () => {
    const opened = await filled();
    await record(opened, '2026-01-01', '2026-01-02', '2026-01-05', '2026-01-03', '2026-01-06');
    await opened.store.trimSecurityEvents('2026-01-04', 100);
    const { security } = await check(opened);
    expect(security).toMatchObject({ rows: 3, removedId: 6, broken: undefined });
    await opened.store.trimSecurityEvents('2026-01-01', 1);
    expect((await check(opened)).security).toMatchObject({ rows: 1, removedId: 8, broken: undefined });
    await opened.store.trimSecurityEvents('2027-01-01', 0);
    expect((await check(opened)).security).toMatchObject({ rows: 0, removedId: 9, broken: undefined });
    await record(opened, AT, AT);
    expect((await check(opened)).security).toMatchObject({ rows: 2, broken: undefined });
    await run(opened, 'delete from audit_event where id = 10');
    expect((await check(opened)).security.broken?.id).toBe(11);
  });

  it('has its heads in the log of the daemon', async () => {
    const { address, store } = await filled();
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const platform = startPlatform(platformSettings(address), { log, cleanEveryMs: 20 });
    onTestFinished(platform.stop);
    await platform.services();
    const [head] = await store.trailHeads();
    const told = () => lines.find((line) => line.includes('head of the audit trail')) ?? '{}';
    await expect.poll(() => JSON.parse(told()).head, { timeout: 60_000 }).toBe(head && formatHead(head));
  }, 90_000);

  it('begins after the rows that an older subnetd has written, which it only counts', async () => {
    const address = await databases.create();
    const connection = await (address.kind === 'sqlite' ? openSqlite(address.path) : openPostgres(address.url));
    try {
      const at = migrations.findIndex(({ name }) => name === '0019-chained-audit-trail');
      await migrate(connection, migrations.slice(0, at));
      await connection.exclusively(({ run: execute }) =>
        execute(`insert into audit_event (at, action, resource, record_id, credential, changes)
          values ('${AT}', 'add', 'Sector', 1, 'key 1', '{}')`),
      );
    } finally {
      await connection.close();
    }
    const opened = await openAt(address);
    expect((await check(opened)).changes).toMatchObject({ rows: 1, unchained: 1, head: undefined, broken: undefined });
    await add(opened, 'one');
    expect((await check(opened)).changes).toMatchObject({ rows: 2, unchained: 1, head: { id: 2 }, broken: undefined });
  });
});

it('no two rows have one salt, and each is whole', () => {
  const salts = Array.from({ length: 600 }, makeSalt);
  expect(new Set(salts).size).toBe(salts.length);
  for (const salt of salts) expect(salt).toMatch(/^[\w-]{22}$/);
});
