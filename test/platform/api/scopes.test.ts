import { beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey, makeApiKey } from '../../../src/platform/api/api-key.ts';
import { onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { operationsOf } from '../../../src/platform/api/operations.ts';
import { resources } from '../../../src/platform/api/resources.ts';
import { SCOPES, type Scope } from '../../../src/platform/model/platform-store.ts';
import { createRepositories } from '../../../src/store/create-repositories.ts';
import type { DatabaseConnection } from '../../../src/store/database-connection.ts';
import type { DatabaseAddress } from '../../../src/store/database-url.ts';
import { migrate } from '../../../src/store/migrate.ts';
import { migrations } from '../../../src/store/migrations.ts';
import { openPostgres } from '../../../src/store/open-postgres.ts';
import { openSqlite } from '../../../src/store/open-sqlite.ts';
import { ROOT_PASSWORD } from '../../support/api.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { createApiKey, runCommand } from '../../support/run-command.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

/** Which scopes let each kind of operation through: the contract, section 6. */
const ALLOWED: Readonly<Record<string, readonly Scope[]>> = {
  listAdminUsers: ['read', 'lists', 'write'],
  addAdminUser: ['write'],
  updateAdminUser: ['write'],
  listProjectTypes: ['read', 'lists', 'write'],
  addProjectType: ['lists', 'write'],
  updateProjectType: ['lists', 'write'],
  listSectors: ['read', 'lists', 'write'],
  addSector: ['lists', 'write'],
  updateSector: ['lists', 'write'],
  listIndustries: ['read', 'lists', 'write'],
  addIndustry: ['lists', 'write'],
  updateIndustry: ['lists', 'write'],
  addImage: ['lists', 'write'],
  listApiKeys: ['admin'],
  addApiKey: ['admin'],
  rotateApiKey: ['admin'],
  revokeApiKey: ['admin'],
  listAudit: ['admin'],
  unlockAccount: ['admin'],
  getToken: SCOPES,
  getOtpStatus: SCOPES,
  enrolOtp: SCOPES,
  confirmOtp: SCOPES,
  renewRecoveryCodes: SCOPES,
  removeOtp: SCOPES,
  resetOtp: ['admin'],
  forgotPassword: SCOPES,
  resetPassword: SCOPES,
  changePassword: SCOPES,
  inviteAdminUser: ['write'],
  sendActivation: ['write'],
  activateAccount: SCOPES,
  sendTestMail: ['admin'],
  getWallet: ['read', 'lists', 'write'],
};

const toWords = (scopes: readonly string[]) => scopes.join(', ').replace(/, (?=[^,]*$)/, ' or ');

const openBare = (address: DatabaseAddress): Promise<DatabaseConnection> =>
  address.kind === 'sqlite' ? Promise.resolve(openSqlite(address.path)) : openPostgres(address.url);

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  const api = useApi(databases);
  const keys = new Map<Scope, string>();
  beforeAll(async () => {
    for (const scope of SCOPES) keys.set(scope, (await api.makeKey(scope)).key);
  });
  const send = (method: string, path: string, credential: string, body?: unknown) =>
    api.sendBare(method, `${path}?${credential}`, method === 'GET' ? undefined : (body ?? {}));
  const reload = async (credential: string) =>
    (await fetch(`${api.url}/-/reload?${credential}`, { method: 'POST' })).status;

  it.each(operationsOf(resources))('$id accepts its scopes, and refuses the others', async (operation) => {
    const path = `/api${operation.path.replace('{id}', '0').replace('{updatedby}', '1')}`;
    // Calls about one's own account take every credential, and check more by themselves.
    const { scope: needed } = operation;
    const allowed = ALLOWED[operation.id] ?? (needed === undefined ? SCOPES : [needed]);
    for (const [scope, key] of keys) {
      const { appErrorCode, errMessage } = await send(operation.method, path, `apiKey=${key}`);
      if (allowed.includes(scope)) expect(String(errMessage), scope).not.toMatch(/not allowed to do that/);
      else
        expect([appErrorCode, errMessage], scope).toEqual([
          1104,
          `this credential is not allowed to do that; use one with the scope ${toWords(allowed)}`,
        ]);
    }
  });

  it('a reload takes the scope operate, and no other', async () => {
    for (const [scope, key] of keys) expect(await reload(`apiKey=${key}`), scope).toBe(scope === 'operate' ? 200 : 403);
    const refused = await fetch(`${api.url}/-/reload?apiKey=${keys.get('write')}`, { method: 'POST' });
    expect(await refused.text()).toBe(
      'this credential is not allowed to do that; use one with the scope operate; a reload needs an API key or a token with the scope operate, or send SIGHUP\n',
    );
  });

  it('a scope is asked before path and method', async () => {
    const read = `apiKey=${keys.get('read')}`;
    const codes = async (credential: string) => [
      (await send('POST', '/api/Nothing', credential)).appErrorCode,
      (await send('DELETE', '/api/AdminUser/Add', credential)).appErrorCode,
      (await send('GET', '/api/Nothing', credential)).appErrorCode,
      (await send('GET', '/api/AdminUser/Add', credential)).appErrorCode,
    ];
    expect(await codes(read)).toEqual([1104, 1104, 1004, 1001]);
    expect(await codes(`apiKey=${keys.get('lists')}`)).toEqual([1004, 1104, 1004, 1001]);
    expect(await codes(`apiKey=${keys.get('operate')}`)).toEqual([1104, 1104, 1104, 1104]);
  });

  it('a key may have several, and credentials that are sent together may do what all of them may', async () => {
    const both = (await api.makeKey('read operate')).key;
    expect(await reload(`apiKey=${both}`)).toBe(200);
    expect((await send('GET', '/api/Sector/ListAll/0', `apiKey=${both}`)).http).toBe(200);
    expect((await send('POST', '/api/Sector/Add', `apiKey=${both}`)).appErrorCode).toBe(1104);
    const together = `apiKey=${both}&apiKey=${keys.get('write')}`;
    expect((await send('GET', '/api/Sector/ListAll/0', together)).http).toBe(200);
    expect((await send('POST', '/api/Sector/Add', together)).appErrorCode).toBe(1104);
    expect(await reload(together)).toBe(403);
  });

  it('a token made by a password has all of them, and one made by a key has those of the key', async () => {
    const signIn = { UserName: 'root', Password: ROOT_PASSWORD };
    const { token } = (await api.sendBare('POST', '/api/Auth/Token', signIn)).data;
    expect(await reload(`token=${token}`)).toBe(200);
    expect((await send('POST', '/api/AdminUser/Add', `token=${token}`)).appErrorCode).toBe(1001);
    for (const [scope, key] of keys) {
      const made = (await api.sendBare('POST', '/api/Auth/Token', { apiKey: key })).data.token;
      for (const operation of operationsOf(resources).slice(0, 6)) {
        const path = `/api${operation.path.replace('{id}', '0').replace('{updatedby}', '1')}`;
        const { appErrorCode } = await send(operation.method, path, `token=${made}`);
        expect(appErrorCode !== 1104, `${scope} ${operation.id}`).toBe(ALLOWED[operation.id]?.includes(scope));
      }
      expect(await reload(`token=${made}`), scope).toBe(scope === 'operate' ? 200 : 403);
    }
  });

  it('a password that another sets ends the tokens of its user, and the trail names the key that did it', async () => {
    const writer = await api.makeKey('write');
    const user = { FirstName: 'F', LastName: 'L', UserName: 'ada', Password: 'long enough', EmailID: 'a@example.com' };
    const flags = { IsActive: true, CreateBy: 1, UpdateBy: 1 };
    const { UserID } = (await send('POST', '/api/AdminUser/Add', `apiKey=${writer.key}`, { ...user, ...flags })).data;
    const { token } = (await api.sendBare('POST', '/api/Auth/Token', user)).data;
    const changed = { ...user, ...flags, Password: 'another one' };
    expect((await send('PUT', '/api/AdminUser/Update/1', `apiKey=${writer.key}`, changed)).http).toBe(200);
    expect((await send('GET', '/api/Sector/ListAll/0', `token=${token}`)).appErrorCode).toBe(1104);
    // The refused token is a row too, and comes when it comes.
    const events = (await api.store.searchAudit({ limit: 1_000 })).filter(({ isSecurity }) => !isSecurity);
    expect(events.at(-1)).toMatchObject({
      ...{ action: 'update', resource: 'AdminUser', recordId: UserID, owner: 1, credential: `key ${writer.id}` },
      changes: { Password: { from: '********', to: '********' } },
    });
  });

  it('a key that has expired is 1123, and its tokens end with it', async () => {
    const make = async (msFromNow: number) => {
      const key = makeApiKey();
      const expiresAt = new Date(Date.now() + msFromNow).toISOString();
      const fresh = { name: 'short', scopes: ['read'], owner: 1, hash: hashApiKey(key), expiresAt } as const;
      await api.store.addKey(fresh, onCommandLine(Date.now()));
      return key;
    };
    const over = await send('GET', '/api/Sector/ListAll/0', `apiKey=${await make(-1)}`);
    expect(over.appErrorCode).toBe(1123);
    expect(over.errMessage).toMatch(/^the API key ended on [^ ]*Z; ask for a new one \(subnetd apikey create\)$/);
    expect((await send('GET', '/api/Sector/ListAll/0', `apiKey=${await make(60_000)}`)).http).toBe(200);
    const soon = await make(1_500);
    const { token } = (await api.sendBare('POST', '/api/Auth/Token', { apiKey: soon })).data;
    expect((await send('GET', '/api/Sector/ListAll/0', `token=${token}`)).http).toBe(200);
    await expect
      .poll(async () => (await send('GET', '/api/Sector/ListAll/0', `token=${token}`)).appErrorCode, {
        timeout: 30_000,
      })
      .toBe(1104);
  });

  it('a write key of an older version keeps the reload, with a mark, and a read key gains nothing', async () => {
    const connection = await openBare(await databases.create());
    try {
      const scopes = migrations.findIndex(({ name }) => name === '0003-scopes');
      await migrate(connection, migrations.slice(0, scopes));
      const stamp = "'2026-01-31T12:00:00.000Z'";
      await connection.exclusively(async ({ run }) => {
        await run(`insert into admin_user (first_name, last_name, user_name, user_name_key, password_hash, email_id,
          email_id_key, is_active) values ('F', 'L', 'u', 'u', 'x', 'a@b.example', 'a@b.example', 1)`);
        for (const scope of ['write', 'read'])
          await run(`insert into api_key (name, hash, scope, owner_id, created_at)
            values ('old', '${hashApiKey(scope)}', '${scope}', 1, ${stamp})`);
      });
      await migrate(connection);
      const { platform: store } = await createRepositories(connection);
      expect(await store.listKeys()).toMatchObject([
        { scopes: ['write', 'operate'], hasOldOperate: true, expiresAt: null },
        { scopes: ['read'], hasOldOperate: false, expiresAt: null },
      ]);
      await store.addKey({ name: 'new', scopes: ['write'], owner: 1, hash: 'h' }, onCommandLine(Date.now()));
      expect((await store.listKeys()).at(-1)).toMatchObject({ scopes: ['write'], hasOldOperate: false });
      expect(await store.findKey({ hash: hashApiKey('write') })).toMatchObject({ scopes: ['write', 'operate'] });
    } finally {
      await connection.close();
    }
  });
});

describe('subnetd apikey', () => {
  it('makes keys of several scopes that end, and lists the mark of an old one', async () => {
    const folder = temporaryFolder();
    const path = folder.path('subnetd.db');
    const env = { SUBNETD_DATABASE_URL: `sqlite:${path}` };
    const create = (...words: readonly string[]) =>
      runCommand(['apikey', 'create', '--name', 'ci', '--owner', '1', ...words], env);
    try {
      const person = ['--user-name', 'r', '--first-name', 'R', '--last-name', 'T', '--email', 'r@example.com'];
      await runCommand(['admin', 'create', ...person], env);
      const allow = ['--allow', '192.0.2.0/24, 2001:db8::7,192.0.2.0/24'];
      const made = await create('--scope', 'operate', '--scope', 'read', '--expires', '2999-12-31', ...allow, '--json');
      expect(JSON.parse(made.stdout)).toEqual({
        ...{ id: 1, name: 'ci', owner: 1, scope: 'read operate', expiresAt: '2999-12-31T00:00:00.000Z' },
        allowedIps: ['192.0.2.0/24', '2001:db8::7'],
        key: expect.stringMatching(/^subnetd_/),
      });
      expect((await create('--scope', 'lists')).stdout).toMatch(/^API key 2: ci, scope lists, owner 1\nkey, shown/);
      expect((await create('--scope', 'read', '--allow', '192.0.2.7')).stdout).toMatch(
        /^API key 3: ci, scope read, owner 1, allowed from 192\.0\.2\.7\nkey, shown/,
      );
      const refusals = [
        [['--scope', 'all'], '--scope must be one of read, lists, write, admin, operate; give it again for more'],
        [
          ['--scope', 'read', '--scope', 'x'],
          '--scope must be one of read, lists, write, admin, operate; give it again for more',
        ],
        [
          ['--scope', 'read', '--expires', '2020-01-01'],
          '--expires must be in the future; 2020-01-01T00:00:00.000Z is not',
        ],
        [
          ['--scope', 'read', '--expires', '2999-02-30'],
          '--expires must be a day such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z',
        ],
        [
          ['--scope', 'read', '--expires', 'soon'],
          '--expires must be a day such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z',
        ],
        ...['192.0.2.0/99', '', '192.0.2.1,'].map(
          (allow) =>
            [
              ['--scope', 'read', '--allow', allow],
              '--allow: each must be an IPv4 or IPv6 address, or a network such as 192.0.2.0/24 or 2001:db8::/32',
            ] as const,
        ),
      ] as const;
      const refused = await Promise.all(refusals.map(([words]) => create(...words)));
      expect(refused.map(({ code, stderr }) => [code, stderr])).toEqual(
        refusals.map(([, problem]) => [2, `subnetd apikey create: ${problem}\n`]),
      );
      const connection = await openSqlite(path);
      await connection.exclusively(({ run }) =>
        run("update api_key set scope = 'write operate', old_operate = 1, hint = null where id = 2"),
      );
      await connection.close();
      expect((await runCommand(['apikey', 'list'], env)).stdout.replaceAll(/_[\w-]{4}…/g, '_1234…')).toBe(
        [
          '1     read operate   owner 1     last used never, allowed from 192.0.2.0/24, 2001:db8::7, expires 2999-12-31T00:00:00.000Z  ci (subnetd_1234…)',
          '2     write operate  owner 1     last used never  ci',
          '      warning: has the scope operate because it was made before scopes; make a new key without it, and revoke this one',
          '3     read           owner 1     last used never, allowed from 192.0.2.7  ci (subnetd_1234…)',
          '',
        ].join('\n'),
      );
      const listed = JSON.parse((await runCommand(['apikey', 'list', '--json'], env)).stdout) as readonly object[];
      expect(listed[1]).toMatchObject({ scope: 'write operate', hasOldOperate: true });
    } finally {
      folder.remove();
    }
  }, 60_000);

  it('makes the successor of a key, and warns of a key that ends within a week', async () => {
    const folder = temporaryFolder();
    const env = { SUBNETD_DATABASE_URL: `sqlite:${folder.path('subnetd.db')}` };
    try {
      const old = await createApiKey(env, 'read');
      const rotate = (...words: readonly string[]) => runCommand(['apikey', 'rotate', ...words], env);
      const soon = new Date(Date.now() + 3 * 24 * 60 * 60 * 1_000).toISOString();
      const made = await rotate('1', '--keep-hours', '2', '--expires', soon);
      expect(made).toMatchObject({ code: 0, stderr: '' });
      expect(made.stdout).toMatch(
        /^API key 2 replaces key 1, which is valid until \S+Z\nkey, shown only now: subnetd_[\w-]{43}\n$/,
      );
      expect(made.stdout).not.toContain(old);
      const json = await rotate('2', '--keep-hours', '0', '--json');
      expect(JSON.parse(json.stdout)).toMatchObject({ id: 3, oldId: 2, key: expect.stringMatching(/^subnetd_/) });
      const refusals = [
        [['1'], 'API key 1 has already been rotated; rotate key 2'],
        [['x'], 'there is no key "x"; "subnetd apikey list" lists them'],
        [['7'], 'there is no API key 7; the list of keys has their ids'],
        [['3', '--keep-hours', '25'], '--keep-hours must be from 0 to 24'],
        [['3', '--keep-hours', 'a'], '--keep-hours must be an integer'],
        [['3', '--expires', '2020-01-01'], '--expires must be in the future; 2020-01-01T00:00:00.000Z is not'],
      ] as const;
      for (const [words, error] of refusals)
        expect(await rotate(...words)).toEqual({ code: 2, stdout: '', stderr: `subnetd apikey rotate: ${error}\n` });
      const lines = (await runCommand(['apikey', 'list'], env)).stdout.split('\n');
      expect(lines[0]).toMatch(/last used never, rotated to 2, expires \S+Z {2}k \(subnetd_[\w-]{4}…\)$/);
      expect(lines[1]).toMatch(/last used never, rotated to 3, expired /);
      expect(lines[3]).toBe('      warning: ends within a week; "subnetd apikey rotate 3" makes its successor');
    } finally {
      folder.remove();
    }
  }, 60_000);
});
