import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../../support/api.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { runCommand } from '../../support/run-command.ts';

let api: Api;
const folder = temporaryFolder();
const path = folder.path('subnetd.db');
beforeAll(async () => {
  api = await startApi({ kind: 'sqlite', path });
});
afterAll(async () => {
  await api.stop();
  folder.remove();
});

const user = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
  ...{ FirstName: 'F', LastName: 'L', UserName: name, Password: 'long enough', EmailID: `${name}@example.com` },
  ...{ IsActive: true, CreateBy: 1 },
  ...more,
});
const add = (name: string, body: unknown) => api.send('POST', `/api/${name}/Add`, body);
const industry = (name: string, ImagePath: string) => ({
  IndustryName: name,
  ImagePath,
  IsDeleted: false,
  CreateBy: 1,
});

describe('the platform API', () => {
  it.each([
    ['an object', { toString: 1 }],
    ['a list a thousand deep', JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`)],
    ['a number', 7],
  ])('answers a key that is %s as one that is not valid, and logs no bug', async (_what, apiKey) => {
    const before = api.logged.length;
    expect((await api.sendBare('POST', '/api/ProjectType/Add', { apiKey })).appErrorCode).toBe(1123);
    expect(api.logged.slice(before).join()).not.toContain('report');
  });

  it('gives a token of a user who was inactive no new life when the user is active again', async () => {
    const added = await add('AdminUser', user('phoenix'));
    const UserID = added.data.UserID;
    const credentials = { UserName: 'phoenix', Password: 'long enough' };
    const { token } = (await api.sendBare('POST', '/api/Auth/Token', credentials)).data;
    const read = () => api.sendBare('GET', '/api/Sector/ListAll/0', undefined, { authorization: token });
    expect((await read()).http).toBe(200);
    const set = (IsActive: unknown) =>
      api.send(
        'PUT',
        '/api/AdminUser/Update/1',
        user('phoenix', { UserID, IsActive, UpdateBy: 1, Password: '********' }),
      );
    expect((await set('FALSE')).http).toBe(200);
    expect((await read()).appErrorCode).toBe(1104);
    expect((await set(true)).http).toBe(200);
    expect((await read()).appErrorCode).toBe(1104);
  });

  it.each([' //evil.example/a.png', ' /etc/passwd', '\u00a0/etc/passwd', '\ufeff/etc'])(
    'refuses the image path %j, which is absolute after a space',
    async (image) => {
      expect((await add('Industry', industry('Blank', image))).appErrorCode).toBe(1012);
    },
  );

  it('refuses the mask at its place among the members', async () => {
    expect((await add('AdminUser', user('m', { Password: '********', EmailID: 'x' }))).appErrorCode).toBe(1012);
    expect((await add('AdminUser', user('m', { Password: '********', CreateBy: undefined }))).appErrorCode).toBe(1012);
  });

  it('refuses a password that is too long at signing in too', async () => {
    const answer = await api.sendBare('POST', '/api/Auth/Token', { UserName: 'root', Password: 'x'.repeat(1025) });
    expect(answer.appErrorCode).toBe(1005);
  });

  it.each(['/api/openapi.json', '/api/v1/openapi.json'])('answers a wrong method on %s with 1001', async (target) => {
    expect((await api.send('POST', target, {})).appErrorCode).toBe(1001);
  });

  it.each([
    ['a@bu\u0308cher.example', 200],
    ['a..b@example.com', 409],
    ['.a@example.com', 409],
    ['a.@example.com', 409],
  ])('takes the address %s or not: %i', async (EmailID, http) => {
    expect((await add('AdminUser', user(`mail${http}${EmailID.length}`, { EmailID }))).http).toBe(http);
  });

  it('decodes a percent-encoded path', async () => {
    expect((await api.send('GET', '/api/%41dminUser/ListAll/%30')).http).toBe(200);
    expect((await api.send('GET', '/api/AdminUser%2FListAll/0')).appErrorCode).toBe(1004);
  });

  it('waits for another process that writes, without standing still', async () => {
    const other = new Database(path);
    other.exec('begin immediate');
    const adding = add('ProjectType', { ContractName: 'Patience', IsDeleted: false, CreateBy: 1 });
    // In this process the wait would end in a failure if it stood still: nobody could end the other's transaction.
    await new Promise((resolve) => setTimeout(resolve, 300));
    other.exec('commit');
    other.close();
    expect((await adding).http).toBe(200);
  });
});

describe('the commands of the platform', () => {
  const env = { SUBNETD_DATABASE_URL: `sqlite:${path}` };

  it('accept only times', async () => {
    // The last is a time in no zone, and so another one on each machine.
    for (const since of ['5', '2026-02-31', '2026-01-31 noon', '2026-01-31T10:00'])
      expect([since, (await runCommand(['audit', '--since', since], env)).code]).toEqual([since, 2]);
    expect((await runCommand(['audit', '--since', '2026-01-31'], env)).code).toBe(0);
  });

  it('refuse a user who does not exist', async () => {
    const { code, stderr } = await runCommand(
      ['apikey', 'create', '--name', 'n', '--owner', '2147483647', '--scope', 'read'],
      env,
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining('no admin user')]);
  });
});
