import { describe, expect, it } from 'vitest';
import { onCommandLine } from '../../../../src/platform/api/create-admin.ts';
import { adminUser } from '../../../../src/platform/api/resources.ts';
import { type Answer, ROOT_PASSWORD } from '../../../support/api.ts';
import { DATABASE_KINDS } from '../../../support/databases.ts';
import { runCommand } from '../../../support/run-command.ts';
import { useApi, useDatabases } from '../../../support/use-api.ts';
import { useMailedApi } from '../../../support/use-mailed-api.ts';

const MINUTE = 60_000;
const SAID = { status: 'success', data: { result: 'success' } };
const EXPIRED = {
  ...{ http: 404, appErrorCode: 1112 },
  errMessage: 'the link has expired, was used before, or is not complete; ask for a new one',
};

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const { api, server, wait } = useMailedApi(useDatabases(kind));
  const people = new Map<string, number>();
  const personOf = async (name: string) => {
    const known = people.get(name);
    if (known !== undefined) return known;
    const person = { FirstName: name, LastName: 'X', UserName: name, Password: 'analytical engine' };
    const { data } = await api.send('POST', '/api/AdminUser/Add', {
      ...{ ...person, EmailID: `${name}@example.com` },
      ...{ IsActive: true, CreateBy: 1 },
    });
    people.set(name, Number(data.UserID));
    return Number(data.UserID);
  };
  const signIn = (UserName: string, Password: string) =>
    api.sendBare('POST', '/api/Auth/Token', { UserName, Password });
  const forgot = (EmailID: unknown, headers = {}) =>
    api.sendBare('POST', '/api/Account/ForgotPassword', { EmailID }, headers);
  const reset = (ResetToken: unknown, Password: unknown) =>
    api.sendBare('POST', '/api/Account/ResetPassword', { ResetToken, Password });
  /** The token of a link in a mail for the user. */
  const linkOf = async (name: string): Promise<string> => {
    await personOf(name);
    const links = () => server.mails.filter(({ to, token }) => to[0] === `${name}@example.com` && token !== undefined);
    const before = links().length;
    expect(await forgot(`${name}@example.com`)).toMatchObject(SAID);
    await expect.poll(() => links().length, { interval: 10 }).toBe(before + 1);
    return links().at(-1)?.token ?? '';
  };
  const bodyOf = ({ text }: Answer) => text;

  it('a link sets a new password once, ends tokens, and a mail says that the password was changed', async () => {
    const token = await linkOf('ada');
    const old = (await signIn('ada', 'analytical engine')).data.token;
    expect(await reset(token, 'short')).toMatchObject({
      ...{ http: 400, appErrorCode: 1006 },
      errMessage: 'Password is below the minimum of 8 characters',
    });
    expect(await reset(token, 'difference engine')).toMatchObject(SAID);
    expect(await reset(token, 'another engine')).toMatchObject(EXPIRED);
    expect((await signIn('ada', 'analytical engine')).appErrorCode).toBe(1104);
    expect((await signIn('ada', 'difference engine')).http).toBe(200);
    expect((await api.sendBare('GET', '/api/Sector/ListAll/0', undefined, { authorization: old })).appErrorCode).toBe(
      1104,
    );
    const toAda = () =>
      server.mails.filter(({ to }) => to[0] === 'ada@example.com').map(({ headers }) => headers.subject);
    await expect.poll(toAda).toEqual(['subnetd: Choose a new password', 'subnetd: Your password was changed']);
    const events = await api.store.searchAudit({ limit: 1_000 });
    expect(events.filter(({ credential }) => credential === 'reset link')).toMatchObject([
      {
        ...{ action: 'update', resource: 'AdminUser', recordId: people.get('ada'), owner: people.get('ada') },
        ...{ statedBy: people.get('ada'), ip: '127.0.0.1' },
        changes: { Password: { from: '********', to: '********' } },
      },
    ]);
  });

  it('of several requests with one link at once, one sets the password', async () => {
    const token = await linkOf('ben');
    const passwords = ['first of them', 'second of them', 'third of them'];
    const answers = await Promise.all(passwords.map((password) => reset(token, password)));
    expect(answers.map(({ http }) => http).toSorted()).toEqual([200, 404, 404]);
    const won = passwords[answers.findIndex(({ http }) => http === 200)] ?? '';
    expect((await signIn('ben', won)).http).toBe(200);
  });

  it('a link ends after ten minutes, with another link that is used, with the password and with the address', async () => {
    const late = await linkOf('cleo');
    wait(10 * MINUTE + 1_000);
    expect(await reset(late, 'analytical engine 2')).toMatchObject(EXPIRED);
    const [one, two] = [await linkOf('cleo'), await linkOf('cleo')];
    expect(await reset(two, 'analytical engine 3')).toMatchObject(SAID);
    expect(await reset(one, 'analytical engine 4')).toMatchObject(EXPIRED);
    const moved = await linkOf('cleo');
    const id = await personOf('cleo');
    const author = onCommandLine(Date.now());
    await api.store.update({ resource: adminUser, id, values: { EmailID: 'cleo@example.org' }, author });
    expect(await reset(moved, 'analytical engine 5')).toMatchObject(EXPIRED);
  });

  it('what is not a link of this kind is refused as an expired one', async () => {
    await personOf('dan');
    for (const token of ['x', 'x'.repeat(43), '../../etc', "' or 1=1 --"])
      expect(await reset(token, 'analytical engine'), token).toMatchObject(EXPIRED);
    expect(await reset('x'.repeat(201), 'analytical engine')).toMatchObject({ appErrorCode: 1005 });
    expect(await reset(7, 'analytical engine')).toMatchObject({ appErrorCode: 1003 });
    expect(await reset('', 'analytical engine')).toMatchObject({ appErrorCode: 1002 });
    expect(await reset(undefined, 'analytical engine')).toMatchObject({ appErrorCode: 1001 });
  });

  it('an inactive user learns from the own link that the account is inactive', async () => {
    const token = await linkOf('eli');
    const id = await personOf('eli');
    const author = onCommandLine(Date.now());
    await api.store.update({ resource: adminUser, id, values: { IsActive: false }, author });
    expect(await reset(token, 'difference engine')).toMatchObject({
      ...{ http: 400, appErrorCode: 1117 },
      errMessage: 'your account is not active; ask another admin user to activate it',
    });
    await api.store.update({ resource: adminUser, id, values: { IsActive: true }, author });
    expect(await reset(token, 'difference engine')).toMatchObject(EXPIRED);
  });

  it('who asks for a link learns nothing about the address, unless it is an admin', async () => {
    await personOf('flo');
    await personOf('gus');
    const author = onCommandLine(Date.now());
    await api.store.update({ resource: adminUser, id: await personOf('gus'), values: { IsActive: false }, author });
    const addresses = ['flo@example.com', 'FLO@Example.COM', 'nobody@example.com', 'gus@example.com'];
    const answers = [];
    for (const address of addresses) answers.push(await forgot(address));
    expect(new Set(answers.map(bodyOf))).toEqual(new Set([JSON.stringify(SAID)]));
    expect(new Set(answers.map(({ headers }) => [...headers.keys()].join())).size).toBe(1);
    expect(await forgot('no address')).toMatchObject({ http: 409, appErrorCode: 1008 });
    const { key } = await api.makeKey('admin');
    const asAdmin = (EmailID: string) => api.sendBare('POST', '/api/Account/ForgotPassword', { EmailID, apiKey: key });
    expect(await asAdmin('flo@example.com')).toMatchObject(SAID);
    expect(await asAdmin('nobody@example.com')).toMatchObject({
      ...{ http: 404, appErrorCode: 1111 },
      errMessage: 'EmailID: no admin user has that address',
    });
    expect(await asAdmin('gus@example.com')).toMatchObject({
      ...{ http: 400, appErrorCode: 1117 },
      errMessage: 'EmailID: that admin user is inactive; activate the user first',
    });
    const asReader = { EmailID: 'nobody@example.com', apiKey: api.readKey };
    expect(await api.sendBare('POST', '/api/Account/ForgotPassword', asReader)).toMatchObject(SAID);
    const sentTo = () => server.mails.flatMap(({ to }) => to).filter((to) => /^(flo|gus|nobody)@/.test(to));
    await expect.poll(sentTo).toEqual(['flo@example.com', 'flo@example.com', 'flo@example.com']);
  });

  it('a signed-in user changes the own password with the present one', async () => {
    await personOf('hal');
    const { token } = (await signIn('hal', 'analytical engine')).data;
    const change = (Password: unknown, NewPassword: unknown, credential: object = { token }) =>
      api.sendBare('POST', '/api/Account/ChangePassword', { ...{ Password, NewPassword }, ...credential });
    expect(await change('wrong', 'difference engine')).toMatchObject({ http: 400, appErrorCode: 1118 });
    expect(await change('analytical engine', 'analytical engine')).toMatchObject({
      ...{ http: 400, appErrorCode: 1113 },
      errMessage: 'NewPassword is already your password; choose another one',
    });
    expect(await change('analytical engine', 'short')).toMatchObject({
      appErrorCode: 1006,
      errMessage: 'NewPassword is below the minimum of 8 characters',
    });
    expect(await change('analytical engine', '********')).toMatchObject({ appErrorCode: 1012 });
    expect(await change(undefined, 'difference engine')).toMatchObject({ appErrorCode: 1001 });
    expect(await change('analytical engine', 'difference engine', {})).toMatchObject({ appErrorCode: 1101 });
    const { key } = await api.makeKey('write', await personOf('hal'));
    expect(await change('analytical engine', 'difference engine', { apiKey: key })).toMatchObject({
      appErrorCode: 1113,
      errMessage: 'an API key cannot change a password; get a token with UserName and Password and send that',
    });
    expect(await change('analytical engine', 'difference engine')).toMatchObject(SAID);
    expect(await change('difference engine', 'third engine')).toMatchObject({ http: 403, appErrorCode: 1104 });
    expect((await signIn('hal', 'difference engine')).http).toBe(200);
    const notes = () =>
      server.mails.filter(({ to }) => to[0] === 'hal@example.com').map(({ headers }) => headers.subject);
    await expect.poll(notes).toEqual(['subnetd: Your password was changed']);
  });

  it('no password and no token of a link is in the log or the audit trail', async () => {
    const token = await linkOf('ida');
    await reset(token, 'secret of ida 1');
    await reset(token, 'secret of ida 2');
    await forgot('secret-of-ida@example.com');
    const events = JSON.stringify(await api.store.searchAudit({ limit: 10_000 }));
    for (const secret of [token, 'secret of ida', 'secret-of-ida'])
      expect(`${events}${api.logged.join('')}`.includes(secret), secret).toBe(false);
    expect(api.logged.filter((line) => line.includes('@example.com'))).toEqual([]);
    const actions = api.logged.map((line) => JSON.parse(line).security);
    for (const action of ['reset asked', 'password reset', 'link refused', 'password changed', 'password refused'])
      expect(actions).toContain(action);
  });
});

describe('after many failed sign-ins', () => {
  const limits = { rate: 0, burst: 0, signIns: 1_000 };
  const { api, server } = useMailedApi(useDatabases('sqlite'), { limits });

  it('a link that sets a new password ends the wait, too', async () => {
    const signIn = (Password: string) => api.sendBare('POST', '/api/Auth/Token', { UserName: 'root', Password });
    for (let count = 0; count < 10; count += 1) expect((await signIn('wrong')).appErrorCode).toBe(1104);
    expect((await signIn(ROOT_PASSWORD)).appErrorCode).toBe(1102);
    await api.sendBare('POST', '/api/Account/ForgotPassword', { EmailID: 'r@example.com' });
    await expect.poll(() => server.mails.length, { interval: 10 }).toBe(1);
    const body = { ResetToken: server.mails[0]?.token, Password: 'difference engine' };
    expect(await api.sendBare('POST', '/api/Account/ResetPassword', body)).toMatchObject(SAID);
    expect((await signIn('difference engine')).http).toBe(200);
  });
});

describe('without a mail server', () => {
  const databases = useDatabases('sqlite');
  let environment: Readonly<Record<string, string>> = {};
  const create = async () => {
    const address = await databases.create();
    environment = { SUBNETD_DATABASE_URL: `sqlite:${address.kind === 'sqlite' ? address.path : ''}` };
    return address;
  };
  const api = useApi({ create });

  it('a command on the machine of the database prints a link that works once', async () => {
    const { code, stdout, stderr } = await runCommand(['admin', 'reset-password', 'root'], environment);
    expect([code, stderr]).toEqual([
      0,
      'subnetd: SUBNETD_PUBLIC_URL is not set, so the link is for a browser on this machine\n',
    ]);
    const [, token = ''] =
      /^Open this link within 10 minutes [^\n]+\nhttp:\/\/127\.0\.0\.1:10545\/portal\/reset\?token=([\w-]{43})\n$/.exec(
        stdout,
      ) ?? [];
    const body = { ResetToken: token, Password: 'staple of a battery' };
    expect(await api.sendBare('POST', '/api/Account/ResetPassword', body)).toMatchObject(SAID);
    expect(await api.sendBare('POST', '/api/Account/ResetPassword', body)).toMatchObject(EXPIRED);
    const events = await api.store.searchAudit({ limit: 1_000 });
    expect(events.filter(({ credential, isSecurity }) => isSecurity && credential === 'command line')).toMatchObject([
      { action: 'reset asked', resource: 'AdminUser', recordId: 1, ip: null, owner: null },
    ]);
    expect(JSON.stringify(events).includes(token)).toBe(false);
    const more = { ...environment, SUBNETD_PUBLIC_URL: 'https://subnetd.example.com/' };
    expect(await runCommand(['admin', 'reset-password', ' root'], more)).toMatchObject({
      ...{ code: 0, stderr: '' },
      stdout: expect.stringMatching(/\nhttps:\/\/subnetd\.example\.com\/portal\/reset\?token=[\w-]{43}\n$/),
    });
  });

  it('the command makes no link for a user who is not there, or inactive', async () => {
    const reset = (name: string) => runCommand(['admin', 'reset-password', name], environment);
    expect(await reset('Root')).toEqual({
      ...{ code: 2, stdout: '' },
      stderr: 'subnetd admin reset-password: no admin user has that name; check the spelling and the case\n',
    });
    const person = { FirstName: 'A', LastName: 'B', UserName: 'off', Password: 'analytical engine', CreateBy: 1 };
    await api.send('POST', '/api/AdminUser/Add', { ...person, EmailID: 'off@example.com', IsActive: false });
    expect(await reset('off')).toEqual({
      ...{ code: 2, stdout: '' },
      stderr: 'subnetd admin reset-password: that admin user is inactive; name another one\n',
    });
    const other = await runCommand(['admin', 'reset-password', 'root'], { ...environment, SUBNETD_SMTP_URL: 'x' });
    expect(other.code).toBe(2);
  });

  it('the route of forgotten passwords says what is missing', async () => {
    expect(await api.sendBare('POST', '/api/Account/ForgotPassword', { EmailID: 'r@example.com' })).toMatchObject({
      ...{ http: 500, appErrorCode: 1110 },
      errMessage:
        'subnetd cannot send mail: ask its operator to set SUBNETD_SMTP_URL, or to run subnetd admin reset-password',
    });
  });
});
