import { describe, expect, it, onTestFinished } from 'vitest';
import { onCommandLine } from '../../../../src/platform/api/create-admin.ts';
import { adminUser } from '../../../../src/platform/api/resources.ts';
import type { DatabaseAddress } from '../../../../src/store/database-url.ts';
import { openDatabase } from '../../../../src/store/open-database.ts';
import { DATABASE_KINDS } from '../../../support/databases.ts';
import { useApi, useDatabases } from '../../../support/use-api.ts';
import { MAILED_URL, useMailedApi } from '../../../support/use-mailed-api.ts';

const DAY = 86_400_000;
const ENDED = {
  ...{ http: 400, appErrorCode: 1120 },
  errMessage: 'the link has expired, was used before, or is not complete; ask an admin user for a new one',
};
const personOf = (name: string) => ({
  ...{ FirstName: name, LastName: 'X', UserName: name, EmailID: `${name}@example.com` },
  CreateBy: 1,
});

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  let address: DatabaseAddress | undefined;
  const create = async () => {
    address = await databases.create();
    return address;
  };
  const { api, server, wait } = useMailedApi({ create });
  const invite = (body: object) => api.send('POST', '/api/Account/Invite', body);
  const again = (UserID: unknown) => api.send('POST', '/api/Account/SendActivation', { UserID });
  const activate = (ActivationToken: unknown, Password: unknown) =>
    api.sendBare('POST', '/api/Account/Activate', { ActivationToken, Password });
  const signIn = (UserName: string, Password: string) =>
    api.sendBare('POST', '/api/Auth/Token', { UserName, Password });
  const mailsTo = (name: string) => server.mails.filter(({ to }) => to[0] === `${name}@example.com`);
  const lastLink = async (name: string, count: number): Promise<string> => {
    await expect.poll(() => mailsTo(name).length, { interval: 10 }).toBe(count);
    return mailsTo(name).at(-1)?.token ?? '';
  };
  const invited = async (name: string) => {
    const { data } = await invite(personOf(name));
    return { id: Number(data.UserID), token: await lastLink(name, 1) };
  };
  const update = (id: number, values: Parameters<typeof api.store.update>[0]['values']) =>
    api.store.update({ resource: adminUser, id, values, author: onCommandLine(Date.now()) });

  it('an invited user is inactive until the link of the mail is used, once', async () => {
    const { id, token } = await invited('ada');
    expect(mailsTo('ada')[0]?.text).toContain(`${MAILED_URL}/portal/activate?token=${token}`);
    expect((await api.send('GET', `/api/AdminUser/ListAll/${id}`)).data.items).toMatchObject([{ IsActive: false }]);
    expect(await activate(token, 'short')).toMatchObject({ appErrorCode: 1006 });
    const answers = await Promise.all(['analytical engine', 'analytical motor'].map((one) => activate(token, one)));
    expect(answers.map(({ http }) => http).toSorted()).toEqual([200, 400]);
    expect(await activate(token, 'difference engine')).toMatchObject(ENDED);
    const chosen = answers[0]?.http === 200 ? 'analytical engine' : 'analytical motor';
    expect((await signIn('ada', chosen)).http).toBe(200);
    const events = (await api.store.searchAudit({ limit: 1_000 })).filter(
      ({ recordId, isSecurity }) => recordId === id && !isSecurity,
    );
    expect(events.at(-1)).toMatchObject({
      ...{ action: 'update', credential: 'activation link', owner: id, statedBy: id },
      changes: { IsActive: { from: false, to: true }, Password: { from: '********', to: '********' } },
    });
  });

  it('a link ends after a day, and when an admin leaves the user inactive or changes the address', async () => {
    const { id, token } = await invited('ben');
    await update(id, { IsActive: false });
    expect(await activate(token, 'analytical engine')).toMatchObject(ENDED);
    expect(await again(id)).toMatchObject({ data: { result: 'success', UserID: id } });
    const second = await lastLink('ben', 2);
    await update(id, { EmailID: 'benny@example.com' });
    expect(await activate(second, 'analytical engine')).toMatchObject(ENDED);
    await again(id);
    const third = await lastLink('benny', 1);
    wait(DAY + 1_000);
    expect(await activate(third, 'analytical engine')).toMatchObject(ENDED);
    await again(id);
    const fourth = await lastLink('benny', 2);
    await update(id, { IsActive: true });
    expect(await activate(fourth, 'analytical engine')).toMatchObject(ENDED);
  });

  it('a link of one kind does not do what the other does', async () => {
    const { token } = await invited('cleo');
    const reset = (ResetToken: string) =>
      api.sendBare('POST', '/api/Account/ResetPassword', { ResetToken, Password: 'analytical engine' });
    expect(await reset(token)).toMatchObject({ appErrorCode: 1112 });
    expect((await activate(token, 'analytical engine')).http).toBe(200);
    await api.sendBare('POST', '/api/Account/ForgotPassword', { EmailID: 'cleo@example.com' });
    const other = await lastLink('cleo', 2);
    expect(await activate(other, 'difference engine')).toMatchObject(ENDED);
    expect((await reset(other)).http).toBe(200);
  });

  it('an invitation is checked as an added user is', async () => {
    const dan = personOf('dan');
    expect((await invite(dan)).http).toBe(200);
    expect(await invite(dan)).toMatchObject({ http: 409, appErrorCode: 1103 });
    expect(await invite({ ...dan, UserName: 'dan2' })).toMatchObject({ http: 409, appErrorCode: 1103 });
    expect(await invite({ ...dan, EmailID: 'dan' })).toMatchObject({ http: 409, appErrorCode: 1008 });
    expect(await invite({ ...dan, LastName: undefined })).toMatchObject({
      ...{ http: 400, appErrorCode: 1001 },
      errMessage: 'LastName is missing; send it',
    });
    expect(await invite({ ...dan, CreateBy: 99 })).toMatchObject({ http: 404, appErrorCode: 1121 });
    const reader = { ...personOf('eve'), apiKey: api.readKey };
    expect(await api.sendBare('POST', '/api/Account/Invite', reader)).toMatchObject({ appErrorCode: 1104 });
  });

  it('an activation is sent again to inactive users, three times a day', async () => {
    expect(await again(99)).toMatchObject({ http: 404, appErrorCode: 1121 });
    expect(await again(1)).toMatchObject({
      ...{ http: 409, appErrorCode: 1012 },
      errMessage: 'UserID: that admin user is already active; send a password reset link instead',
    });
    const { id } = await invited('flo');
    for (const count of [2, 3]) {
      expect((await again(id)).http).toBe(200);
      await lastLink('flo', count);
    }
    expect(await again(id)).toMatchObject({
      ...{ http: 500, appErrorCode: 1107 },
      errMessage: 'the user already has three valid links; wait until one has expired',
    });
  });

  it('a database that does not take the account is said, and nothing is mailed', async () => {
    const connection = await openDatabase(address ?? expect.fail('there is no database'));
    onTestFinished(connection.close);
    // What the API logs may be written meanwhile, by another connection.
    const run = (...statements: readonly string[]) =>
      connection.retry(async () => {
        const lent = await connection.lend();
        try {
          for (const statement of statements) await lent.query(statement, []);
        } finally {
          lent.release();
        }
      });
    const sqlite = `create trigger refuse before insert on admin_user begin select raise(abort, 'full'); end`;
    const postgres = [
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'full'; end $$`,
      'create trigger refuse before insert on admin_user for each row execute function refuse()',
    ];
    await run(...(kind === 'sqlite' ? [sqlite] : postgres));
    expect(await invite(personOf('gus'))).toMatchObject({
      ...{ http: 500, appErrorCode: 1109 },
      errMessage: 'the account was not created because the database rejected it; try again later',
    });
    await run(kind === 'sqlite' ? 'drop trigger refuse' : 'drop trigger refuse on admin_user');
    expect((await invite(personOf('gus'))).http).toBe(200);
    await lastLink('gus', 1);
  });

  it('no link of an invitation is in the log or the audit trail', async () => {
    const { token } = await invited('hal');
    await activate(token, 'secret of hal');
    const text = `${JSON.stringify(await api.store.searchAudit({ limit: 10_000 }))}${api.logged.join('')}`;
    for (const secret of [token, 'secret of hal']) expect(text.includes(secret), secret).toBe(false);
    const actions = api.logged.map((line) => JSON.parse(line).security);
    for (const action of ['invited', 'activated', 'link refused']) expect(actions).toContain(action);
  });
});

describe('without a mail server', () => {
  const api = useApi(useDatabases('sqlite'));

  it('nobody is invited, and the answer says what is missing', async () => {
    const missing = {
      ...{ http: 500, appErrorCode: 1107 },
      errMessage:
        'subnetd cannot send mail: ask its operator to set SUBNETD_SMTP_URL, or add the admin user with a password',
    };
    expect(await api.send('POST', '/api/Account/Invite', personOf('ada'))).toMatchObject(missing);
    expect((await api.send('GET', '/api/AdminUser/ListAll/0')).data.items).toHaveLength(1);
    const { data } = await api.send('POST', '/api/AdminUser/Add', {
      ...{ ...personOf('ada'), Password: 'analytical engine', IsActive: false },
    });
    expect(await api.send('POST', '/api/Account/SendActivation', { UserID: data.UserID })).toMatchObject(missing);
  });
});

describe('with the limit of sign-ins', () => {
  const { api, server } = useMailedApi(useDatabases('sqlite'), { limits: { rate: 0, burst: 0, signIns: 3 } });

  it('nobody floods others with invitations by a stolen key', async () => {
    const invite = (name: string) => api.send('POST', '/api/Account/Invite', personOf(name));
    const answers = [];
    for (const name of ['ada', 'ben', 'cleo', 'dan']) answers.push(await invite(name));
    expect(answers.map(({ http }) => http)).toEqual([200, 200, 200, 400]);
    expect(answers[3]).toMatchObject({ appErrorCode: 1102 });
    await expect.poll(() => server.mails.length, { interval: 10 }).toBe(3);
    expect((await api.send('GET', '/api/AdminUser/ListAll/0')).data.items).toHaveLength(4);
    const person = { ...personOf('eve'), Password: 'analytical engine', IsActive: false };
    const { data } = await api.send('POST', '/api/AdminUser/Add', person);
    const again = await api.send('POST', '/api/Account/SendActivation', { UserID: data.UserID });
    expect([again.appErrorCode, again.errMessage]).toEqual([
      ...[1102, 'too many mails and sign-ins; retry after the time in Retry-After'],
    ]);
    await api.platform.stop();
    const slowed = (await api.store.searchAudit({ limit: 100 })).find(({ action }) => action === 'slowed');
    expect(slowed).toMatchObject({ owner: 1, changes: { Limit: { from: null, to: 'sign-in' } } });
  });
});
