import { describe, expect, it, onTestFinished } from 'vitest';
import { parseTrustedProxies } from '../../../../src/lib/addresses.ts';
import { adminUser } from '../../../../src/platform/api/resources.ts';
import { createRepositories } from '../../../../src/store/create-repositories.ts';
import type { DatabaseAddress } from '../../../../src/store/database-url.ts';
import { tablesOf } from '../../../../src/store/migrate.ts';
import { openDatabase } from '../../../../src/store/open-database.ts';
import { startApi } from '../../../support/api.ts';
import { DATABASE_KINDS } from '../../../support/databases.ts';
import { runCommand } from '../../../support/run-command.ts';
import { useDatabases } from '../../../support/use-api.ts';

const trusted = parseTrustedProxies('127.0.0.1');
const HERS = '198.51.100.77';
const ada = {
  ...{ FirstName: 'Augusta', LastName: 'Kingwood', UserName: 'ada-lovelace', Password: 'analytical engine' },
  ...{ EmailID: 'Lovelace@example.org', IsActive: true, CreateBy: 1, UpdateBy: 1 },
};
const PERSONAL = /augusta|kingwood|lovelace|198\.51\.100\.77/i;

describe.each(DATABASE_KINDS)('an erased admin user in %s', (kind) => {
  const databases = useDatabases(kind);

  const urlOf = (address: DatabaseAddress) => (address.kind === 'sqlite' ? `sqlite:${address.path}` : address.url);

  /** An API with a user who has left traces wherever there may be some. */
  const startWithAda = async () => {
    const address = await databases.create();
    const api = await startApi(address, { ...(trusted.ok && { trustedProxies: trusted.proxies }) });
    onTestFinished(api.stop);
    const from = { 'x-forwarded-for': HERS };
    const userId = Number((await api.send('POST', '/api/AdminUser/Add', ada)).data.UserID);
    const { EmailID, Password, UserName } = ada;
    await api.sendBare('POST', '/api/Auth/Token', { UserName, Password: 'a wrong one' }, from);
    const { token } = (await api.sendBare('POST', '/api/Auth/Token', { UserName, Password }, from)).data;
    const industry = { IndustryName: 'Ships', ImagePath: 'a.png', IsDeleted: false, CreateBy: userId };
    const added = await api.sendBare('POST', '/api/Industry/Add', industry, { ...from, authorization: token });
    expect(added.http).toBe(200);
    await api.send('PUT', '/api/AdminUser/Update/1', { ...ada, LastName: 'Kingwood-King' });
    const author = { statedBy: userId, owner: userId, credential: 'token', at: '2026-01-31T12:00:00.000Z', ip: HERS };
    const key = { name: 'laptop of Lovelace', scopes: ['read'], owner: userId, hash: 'h' } as const;
    await api.store.touchKey((await api.store.addKey(key, author)) ?? 0, author.at, HERS);
    const passwordVersion = 1;
    const session = { hash: 's', userId, passwordVersion, address: HERS, browser: 'hers', signedInAt: author.at };
    await api.store.addSession({ ...session, codeAt: null });
    await api.store.addLink({ hash: 'l', kind: 'reset', userId, passwordVersion, expiresAt: '2027-01-31' });
    await api.store.startCodes(userId, 'sealed');
    const connection = await openDatabase(address);
    const { mails } = await createRepositories(connection);
    await mails.addMail({ kind: 'reset', address: EmailID.toLowerCase() }, author.at, 9);
    await connection.close();
    return { api, address, userId, token };
  };

  const everything = async (address: DatabaseAddress): Promise<string> => {
    const connection = await openDatabase(address);
    const lent = await connection.lend();
    const tables: string[] = [];
    for (const table of tablesOf(kind))
      tables.push(JSON.stringify((await lent.query(`select * from ${table}`, [])).rows));
    lent.release();
    await connection.close();
    return tables.join('\n');
  };
  const checkTrail = async (address: DatabaseAddress) => {
    const connection = await openDatabase(address);
    const { platform } = await createRepositories(connection);
    const checks = await platform.checkTrail([]);
    await connection.close();
    return checks;
  };

  it('is never the last active one, also when the other is deactivated at the same moment', async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const address = await databases.create();
      const api = await startApi(address);
      const userId = Number((await api.send('POST', '/api/AdminUser/Add', ada)).data.UserID);
      const author = { statedBy: 1, owner: 1, credential: 'key 1', at: '2026-01-31T12:00:00.000Z', ip: null };
      const erasure = { userId, passwordHash: '', tables: [] };
      const [deactivated, erased] = await Promise.all([
        api.store.update({ resource: adminUser, id: 1, values: { IsActive: false }, author }),
        api.store.eraseUser(erasure, author),
      ]);
      await api.stop();
      expect([deactivated.ok, erased.ok].filter(Boolean)).toHaveLength(1);
    }
  });

  it('has a trail that holds when several are erased at once, while others write to it', async () => {
    const address = await databases.create();
    const api = await startApi(address);
    onTestFinished(api.stop);
    const author = { statedBy: 1, owner: 1, credential: 'key 1', at: '2026-01-31T12:00:00.000Z', ip: HERS };
    const users = ['one', 'two', 'three', 'four'].map((name) => ({ ...ada, UserName: name, EmailID: `${name}@x.org` }));
    const ids: number[] = [];
    for (const user of users) ids.push(Number((await api.send('POST', '/api/AdminUser/Add', user)).data.UserID));
    const key = { name: 'k', scopes: ['read'], owner: 1 } as const;
    const done = await Promise.all([
      ...ids.map((userId) => api.store.eraseUser({ userId, passwordHash: '', tables: [] }, author)),
      ...ids.map((id) => api.store.addKey({ ...key, hash: `h ${id}` }, author)),
    ]);
    expect(done.filter((one) => typeof one === 'object' && !one.ok)).toEqual([]);
    expect((await checkTrail(address)).map(({ broken }) => broken)).toEqual([undefined, undefined]);
  });

  it('is named nowhere in the database, and its ids, the lists and the audit trail stay valid', async () => {
    const { api, address, userId, token } = await startWithAda();
    await expect.poll(async () => (await everything(address)).match(/sign-in refused/g)?.length).toBeGreaterThan(0);
    expect(await everything(address)).toMatch(PERSONAL);
    const environment = { SUBNETD_DATABASE_URL: urlOf(address) };
    const refused = await runCommand(['admin', 'erase', ada.UserName], environment);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('nothing was erased');
    expect(await runCommand(['admin', 'erase', ada.UserName, '--yes'], environment)).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await everything(address)).not.toMatch(PERSONAL);

    const listed = await api.send('GET', `/api/AdminUser/ListAll/${userId}`);
    expect(listed.data.items).toEqual([
      {
        ...{ UserID: userId, FirstName: 'erased', LastName: `user ${userId}`, UserName: `erased user ${userId}` },
        ...{ Password: '********', EmailID: `erased-user-${userId}@erased.invalid`, MobileNo: null, IsActive: false },
        ...{ CreateBy: 1, CreateDate: expect.any(String), CreateIP: '127.0.0.1' },
        ...{ UpdateBy: 1, UpdateDate: expect.any(String), UpdateIP: '127.0.0.1' },
      },
    ]);
    const [ships] = (await api.send('GET', '/api/Industry/ListAll/0')).data.items;
    expect(ships).toMatchObject({ IndustryName: 'Ships', CreateBy: userId, CreateIP: null });
    const get = (headers: Record<string, string>) => api.sendBare('GET', '/api/Sector/ListAll/0', undefined, headers);
    expect((await get({ authorization: token })).appErrorCode).toBe(1104);
    const again = { UserName: `erased user ${userId}`, Password: ada.Password };
    expect((await api.sendBare('POST', '/api/Auth/Token', again)).appErrorCode).toBe(1104);
    const [changes, security] = await checkTrail(address);
    expect(changes).toMatchObject({ broken: undefined, erased: expect.any(Number) });
    expect(security).toMatchObject({ broken: undefined, erased: expect.any(Number) });
    expect([changes?.erased, security?.erased]).not.toContain(0);
    // The name and the address are free for somebody else.
    expect((await api.send('POST', '/api/AdminUser/Add', ada)).http).toBe(200);
    expect((await runCommand(['admin', 'erase', ada.UserName, '--yes'], environment)).code).toBe(0);
    expect((await checkTrail(address)).map(({ broken }) => broken)).toEqual([undefined, undefined]);
  }, 120_000);

  it('leaves a trail that shows what is written in place of what was erased', async () => {
    const { address, userId } = await startWithAda();
    await runCommand(['admin', 'erase', ada.UserName, '--yes'], { SUBNETD_DATABASE_URL: urlOf(address) });
    const connection = await openDatabase(address);
    await connection.exclusively(({ run }) =>
      run(
        `update audit_event set changes = replace(changes, 'erased user ${userId}', 'mallory') where resource = 'AdminUser'`,
      ),
    );
    await connection.close();
    const [changes] = await checkTrail(address);
    expect(changes?.broken?.why).toContain('does not state what is left of the erased rows');
  }, 120_000);

  it('is never the last active one', async () => {
    const address = await databases.create();
    const api = await startApi(address);
    onTestFinished(api.stop);
    const { code, stderr } = await runCommand(['admin', 'erase', 'root', '--yes'], {
      SUBNETD_DATABASE_URL: urlOf(address),
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'subnetd admin erase: this is the last active admin user; create or activate another one first\n',
    });
    expect((await api.send('GET', '/api/AdminUser/ListAll/1')).data.items[0]).toMatchObject({ UserName: 'root' });
  });
});
