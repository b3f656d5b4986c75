import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { createRepositories } from '../../../src/store/create-repositories.ts';
import { migrate } from '../../../src/store/migrate.ts';
import { migrations } from '../../../src/store/migrations.ts';
import { openPostgres } from '../../../src/store/open-postgres.ts';
import { openSqlite } from '../../../src/store/open-sqlite.ts';
import { startApiDaemon } from '../../support/api-daemon.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { startPostgres } from '../../support/postgres.ts';
import { createApiKey, runCommand } from '../../support/run-command.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const person = { FirstName: 'F', LastName: 'L', Password: 'long enough', CreateBy: 1, UpdateBy: 1 };

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  const api = useApi(databases);
  const changes = async (resource: string) =>
    (await api.store.searchAudit({ limit: 1_000 })).filter((event) => event.resource === resource && !event.isSecurity);

  it('the trail names the industry of a sector beside its id, as it was called then', async () => {
    const add = (name: string, body: object) =>
      api.send('POST', `/api/${name}/Add`, { ImagePath: 'a.png', IsDeleted: false, CreateBy: 1, ...body });
    const ids = [];
    for (const IndustryName of ['Ships', 'Rails']) ids.push((await add('Industry', { IndustryName })).data.IndustryID);
    const { SectorID } = (await add('Sector', { SkillName: 'Freight', IndustryName: 'Ships' })).data;
    const move = {
      SectorID,
      SkillName: 'Freight',
      ImagePath: 'a.png',
      IndustryName: 'Rails',
      IsDeleted: false,
      UpdateBy: 1,
    };
    expect((await api.send('PUT', '/api/Sector/Update/1', move)).http).toBe(200);
    expect((await changes('Sector')).map((event) => event.changes)).toEqual([
      {
        SkillName: { from: null, to: 'Freight' },
        ImagePath: { from: null, to: 'a.png' },
        IndustryName: { from: null, to: 'Ships' },
        IsDeleted: { from: null, to: false },
        IndustryID: { from: null, to: ids[0] },
      },
      { IndustryName: { from: 'Ships', to: 'Rails' }, IndustryID: { from: ids[0], to: ids[1] } },
    ]);
  });

  it('the keys of a user end with the user, in the trail too, and do not come back', async () => {
    const user = { ...person, UserName: 'ada', EmailID: 'ada@example.com' };
    const { UserID } = (await api.send('POST', '/api/AdminUser/Add', { ...user, IsActive: true })).data;
    const made = [await api.makeKey('read', Number(UserID)), await api.makeKey('write', Number(UserID))];
    await api.store.revokeKey(made[1]?.id ?? 0, {
      ...{ statedBy: null, owner: null, credential: 'x', at: '2026-01-31T12:00:00.000Z', ip: null },
    });
    const other = await api.makeKey('read');
    const code = async (key: string) => (await api.sendBare('GET', `/api/Sector/ListAll/0?apiKey=${key}`)).appErrorCode;
    const set = (IsActive: boolean) =>
      api.send('PUT', '/api/AdminUser/Update/1', { ...user, IsActive }, { 'x-request-id': `set-${IsActive}` });
    expect(await code(made[0]?.key ?? '')).toBeUndefined();
    expect((await set(true)).http).toBe(200);
    expect(await code(made[0]?.key ?? '')).toBeUndefined();
    expect((await set(false)).http).toBe(200);
    expect(await code(made[0]?.key ?? '')).toBe(1123);
    expect((await set(true)).http).toBe(200);
    expect(await code(made[0]?.key ?? '')).toBe(1123);
    expect(await code(other.key)).toBeUndefined();
    const revoked = (await changes('ApiKey')).filter(({ action }) => action === 'revoke');
    expect(revoked).toMatchObject([
      { recordId: made[1]?.id, credential: 'x' },
      { recordId: made[0]?.id, owner: 1, credential: 'key 1', requestId: 'set-false' },
    ]);
    expect(revoked[1]?.changes.RevokedAt?.to).toEqual(revoked[1]?.at);
    const listed = (await api.store.listKeys()).find(({ id }) => id === made[0]?.id);
    expect(listed?.revokedAt).toBe(revoked[1]?.at);
  });

  it('an upgrade ends the keys of users who are inactive, with a line in the trail', async () => {
    const address = await databases.create();
    const connection = await (address.kind === 'sqlite' ? openSqlite(address.path) : openPostgres(address.url));
    try {
      const at = migrations.findIndex(({ name }) => name === '0005-keys-of-inactive-users');
      await migrate(connection, migrations.slice(0, at));
      await connection.exclusively(async ({ run }) => {
        for (const isActive of [1, 0]) {
          await run(`insert into admin_user (first_name, last_name, user_name, user_name_key, password_hash, email_id,
            email_id_key, is_active) values ('F', 'L', 'u', 'u${isActive}', 'x', 'a', 'a${isActive}', ${isActive})`);
          await run(`insert into api_key (name, hash, scope, owner_id, created_at)
            values ('k', 'h${isActive}', 'read', (select max(id) from admin_user), '2026-01-31')`);
        }
      });
      await migrate(connection);
      const { platform: store } = await createRepositories(connection);
      const ends = (await store.listKeys()).map(({ revokedAt }) => revokedAt);
      expect(ends).toEqual([null, expect.stringMatching(/Z$/)]);
      expect(await store.searchAudit({ limit: 10 })).toMatchObject([
        { action: 'revoke', resource: 'ApiKey', recordId: 2, changes: { RevokedAt: { from: null, to: ends[1] } } },
      ]);
    } finally {
      await connection.close();
    }
  });
});

it('names that are older than the rules reach a terminal as escapes, in text and in JSON', async () => {
  const folder = temporaryFolder();
  const path = folder.path('subnetd.db');
  const env = { SUBNETD_DATABASE_URL: `sqlite:${path}` };
  const name = '\u001b]0;owned\u0007\n2     admin\u202e\u009b2J\u200b\u2028\u{e0041}';
  const shown = '\\u001b]0;owned\\u0007\\u000a2     admin\\u202e\\u009b2J\\u200b\\u2028\\udb40\\udc41';
  try {
    const words = ['--user-name', 'r', '--first-name', 'R', '--last-name', 'T', '--email', 'r@example.com'];
    await runCommand(['admin', 'create', ...words], env);
    const connection = await openSqlite(path);
    const { platform: store } = await createRepositories(connection);
    const author = { statedBy: null, owner: null, credential: 'command line', at: new Date().toISOString(), ip: null };
    await store.addKey({ name, scopes: ['read'], owner: 1, hash: 'h' }, author);
    await connection.close();
    const list = (await runCommand(['apikey', 'list'], env)).stdout;
    expect(list).toBe(`1     read   owner 1     last used never  ${shown}\n`);
    const trail = (await runCommand(['audit'], env)).stdout.split('\n');
    expect(trail).toHaveLength(3);
    expect(trail[1]).toContain(
      'Name "\\u001b]0;owned\\u0007\\n2     admin\\u202e\\u009b2J\\u200b\\u2028\\udb40\\udc41"',
    );
    for (const command of [
      ['apikey', 'list', '--json'],
      ['audit', '--json'],
    ]) {
      const { stdout } = await runCommand(command, env);
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(name));
    }
  } finally {
    folder.remove();
  }
}, 90_000);

it('a list whose database fails half-way breaks off, and logs one line of JSON', async () => {
  const postgres = await startPostgres();
  const url = await postgres.createDatabase();
  const environment = { SUBNETD_DATABASE_URL: url };
  const key = await createApiKey(environment, 'read');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // More than the buffers between the two sides hold, so that the list waits until it is read.
  await client.query(`insert into project_type (contract_name, contract_name_key, is_deleted)
    select repeat('x', 200) || i, i::text, 0 from generate_series(1, 60000) as i`);
  await client.end();
  const daemon = await startApiDaemon(environment);
  try {
    const headers = { 'x-request-id': 'broken-list' };
    const response = await fetch(`${daemon.url}/api/ProjectType/ListAll/0?apiKey=${key}`, { headers });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    await reader?.read();
    await postgres.halt();
    const readOn = async () => {
      while (!(await reader?.read())?.done);
    };
    await expect(readOn()).rejects.toThrow('terminated');
    const lines = daemon
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly msg: string; readonly requestId?: string });
    const told = lines.filter(({ msg }) => msg === 'the database failed on a request');
    expect(told.map(({ requestId }) => requestId)).toEqual(['broken-list']);
    const livez = await fetch(`${daemon.url}/livez`);
    expect(livez.status).toBe(200);
  } finally {
    expect(await daemon.end()).toBe(0);
    await postgres.stop();
  }
  expect(daemon.output()).not.toContain('    at ');
}, 60_000);
