import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { makeRecoveryCodes, parseRecoveryCode } from '../../../../src/platform/api/accounts/check-otp.ts';
import { createSealer } from '../../../../src/platform/api/accounts/sealer.ts';
import { onCommandLine } from '../../../../src/platform/api/create-admin.ts';
import { openDatabase } from '../../../../src/store/open-database.ts';
import { type Api, ROOT_PASSWORD } from '../../../support/api.ts';
import { runCommand } from '../../../support/run-command.ts';
import { useApi, useDatabases } from '../../../support/use-api.ts';
import { MAILED_URL, useMailedApi } from '../../../support/use-mailed-api.ts';

const MINUTE = 60_000;

// What differs by database is in test/store/sign-in-store.test.ts: here each sign-in costs much of a processor.
describe('one-time codes', () => {
  let now = Date.UTC(2026, 0, 31, 12);
  const api = useApi(useDatabases('sqlite'), {}, undefined, { now: () => now });
  const known: { secret: string; recovery: readonly string[]; token: string } = { secret: '', recovery: [], token: '' };

  /** What the app shows, by default at this moment. */
  const codeAt = (at = now) => new TOTP({ secret: Secret.fromBase32(known.secret) }).generate({ timestamp: at });
  const signIn = (Otp?: unknown, Password = ROOT_PASSWORD) =>
    api.sendBare('POST', '/api/Auth/Token', { UserName: 'root', Password, Otp });
  const call = (name: string, body: object = {}) =>
    api.sendBare('POST', `/api/Otp/${name}`, body, { authorization: known.token });
  const status = async () =>
    (await api.sendBare('GET', '/api/Otp/Status', undefined, { authorization: known.token })).data;
  const codesOf = ({ data }: Awaited<ReturnType<Api['send']>>) => data.RecoveryCodes as readonly string[];

  it('an app is enrolled by password, and counts once its first code is confirmed', async () => {
    known.token = (await signIn()).data.token;
    expect(await status()).toEqual({ IsEnrolled: false, RecoveryCodesLeft: 0 });
    expect(await call('Confirm', { Otp: '123456' })).toMatchObject({
      ...{ appErrorCode: 1122, http: 400 },
      errMessage: 'this account has no one-time codes; enrol with POST /api/Otp/Enrol',
    });
    expect(await call('Enrol', { Password: 'wrong' })).toMatchObject({
      ...{ appErrorCode: 1118, http: 400 },
      errMessage: 'Password is wrong; send the current password of your account',
    });
    const first = (await call('Enrol', { Password: ROOT_PASSWORD })).data;
    const { data } = await call('Enrol', { Password: ROOT_PASSWORD });
    expect(data.Secret).not.toBe(first.Secret);
    expect(data.Secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(data.Address).toMatch(/^otpauth:\/\/totp\/subnetd:root\?issuer=subnetd&secret=[A-Z2-7]{32}&/);
    expect(data.Picture).toMatch(/^<svg xmlns="[^"]+" viewBox="0 0 (\d+) \1">/);
    known.secret = String(data.Secret);
    expect((await signIn()).http).toBe(200);
    expect((await status()).IsEnrolled).toBe(false);
    expect((await call('Confirm', { Otp: codeAt(now + 5 * MINUTE) })).appErrorCode).toBe(1119);
    const confirmed = await call('Confirm', { Otp: codeAt() });
    known.recovery = codesOf(confirmed);
    expect(known.recovery).toHaveLength(10);
    expect(await status()).toEqual({ IsEnrolled: true, RecoveryCodesLeft: 10 });
    expect((await call('Enrol', { Password: ROOT_PASSWORD })).appErrorCode).toBe(1012);
    expect((await call('Confirm', { Otp: codeAt() })).appErrorCode).toBe(1012);
  });

  it('a sign-in needs the code from then on, and each refusal has its code of the specification', async () => {
    now += MINUTE;
    expect(await signIn()).toMatchObject({
      ...{ http: 400, appErrorCode: 1122 },
      errMessage: 'Otp is missing; this account needs a one-time code',
    });
    expect((await signIn('')).appErrorCode).toBe(1122);
    for (const malformed of ['12345', '1234567', 'abcdef', '3k7f-9q2m'])
      expect(await signIn(malformed)).toMatchObject({
        ...{ http: 400, appErrorCode: 1122 },
        errMessage: 'Otp must be the six digits from your authenticator app, or a recovery code',
      });
    expect(await signIn(123_456)).toMatchObject({ http: 400, appErrorCode: 1003 });
    expect((await signIn('1'.repeat(41))).appErrorCode).toBe(1005);
    expect(await signIn(codeAt(now + 3 * MINUTE))).toMatchObject({ http: 400, appErrorCode: 1119 });
    expect(await signIn(codeAt(now - 2 * MINUTE))).toMatchObject({
      ...{ http: 400, appErrorCode: 1124 },
      errMessage: 'Otp has expired; send the code that the app shows now',
    });
    expect((await signIn(codeAt(now - 6 * MINUTE))).appErrorCode).toBe(1119);
    const digits = codeAt();
    expect((await signIn(`${digits.slice(0, 3)} ${digits.slice(3)}`)).http).toBe(200);
  });

  it('nobody uses a code twice, nor one of a window before it', async () => {
    now += 5 * MINUTE;
    expect((await signIn(codeAt(now + 30_000))).http).toBe(200);
    for (const at of [now + 30_000, now, now - 30_000])
      expect(await signIn(codeAt(at))).toMatchObject({
        ...{ appErrorCode: 1119, errMessage: 'Otp was used before; wait for the next code' },
      });
    now += 5 * MINUTE;
    const tries = await Promise.all([1, 2, 3].map(() => signIn(codeAt())));
    expect(tries.map(({ http }) => http).toSorted()).toEqual([200, 400, 400]);
  });

  it('only after the right password does an answer speak of codes', async () => {
    for (const Otp of [undefined, codeAt(), codeAt(now - 2 * MINUTE), known.recovery[0]])
      expect((await signIn(Otp, 'wrong password')).appErrorCode).toBe(1104);
    expect((await status()).RecoveryCodesLeft).toBe(10);
  });

  it('a recovery code signs in once, in any spelling, and new ones replace the old', async () => {
    const [first = '', second = '', third = ''] = known.recovery;
    expect((await signIn(first)).http).toBe(200);
    expect(await signIn(first)).toMatchObject({
      ...{
        appErrorCode: 1119,
        errMessage: 'Otp is not one of the remaining recovery codes; send another, or the code that the app shows now',
      },
    });
    expect((await signIn(second.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O'))).http).toBe(200);
    expect((await signIn(`${third.slice(0, -1)}${third.endsWith('z') ? 'y' : 'z'}`)).appErrorCode).toBe(1119);
    expect((await status()).RecoveryCodesLeft).toBe(8);
    now += 5 * MINUTE;
    expect((await call('RecoveryCodes', { Password: ROOT_PASSWORD, Otp: '000000' })).http).toBe(400);
    const renewed = codesOf(await call('RecoveryCodes', { Password: ROOT_PASSWORD, Otp: codeAt() }));
    expect((await signIn(third)).appErrorCode).toBe(1119);
    expect((await signIn(renewed[2])).http).toBe(200);
    known.recovery = renewed;
  });

  it('codes are removed by password and code, and by an admin for somebody else only', async () => {
    now += 5 * MINUTE;
    expect((await call('Remove', { Password: 'wrong', Otp: codeAt() })).appErrorCode).toBe(1118);
    expect((await call('Remove', { Password: ROOT_PASSWORD })).appErrorCode).toBe(1001);
    expect((await call('Reset', { UserID: 1 })).appErrorCode).toBe(1012);
    expect((await call('Reset', { UserID: 9 })).appErrorCode).toBe(1121);
    expect((await call('Remove', { Password: ROOT_PASSWORD, Otp: codeAt() })).data).toEqual({
      ...{ result: 'success', UserID: 1 },
    });
    expect((await signIn()).http).toBe(200);
    expect(await signIn('123456')).toMatchObject({
      appErrorCode: 1122,
      errMessage:
        'Otp is not needed: this account has no one-time codes; leave it out, or enrol with POST /api/Otp/Enrol',
    });
    const other = {
      FirstName: 'F',
      LastName: 'L',
      UserName: 'other',
      Password: ROOT_PASSWORD,
      EmailID: 'o@example.com',
    };
    await api.send('POST', '/api/AdminUser/Add', { ...other, IsActive: true, CreateBy: 1 });
    expect(await call('Reset', { UserID: 2 })).toMatchObject({
      ...{ appErrorCode: 1122, errMessage: 'that admin user has no one-time codes' },
    });
    await api.store.startCodes(2, 'sealed');
    const readOnly = await api.sendBare('POST', '/api/Otp/Reset', { UserID: 2, apiKey: api.key });
    expect(readOnly.appErrorCode).toBe(1104);
    expect((await call('Reset', { UserID: 2 })).http).toBe(200);
  });

  it('the security log names who used a recovery code or sent a wrong code, and no code', async () => {
    await api.platform.stop();
    const events = await api.store.searchAudit({ limit: 1_000 });
    const counted = (action: string) => events.filter((event) => event.action === action && event.recordId === 1);
    expect(counted('code refused').length).toBeGreaterThan(0);
    expect(counted('recovery code used')[0]).toMatchObject({ owner: 1, credential: 'password', isSecurity: true });
    expect(events.filter(({ resource }) => resource === 'OneTimeCodes').map(({ action }) => action)).toEqual([
      ...['enrol', 'renew', 'remove', 'remove'],
    ]);
    const all = JSON.stringify(events) + api.logged.join('');
    for (const secret of [known.secret, ...known.recovery]) expect(all).not.toContain(secret);
  });
});

describe('with a mail server', () => {
  const mailed = useMailedApi(useDatabases('sqlite'));

  it('the user gets a mail when codes are turned on and off, which holds no secret', async () => {
    const { api, server } = mailed;
    const { token } = (await api.sendBare('POST', '/api/Auth/Token', { UserName: 'root', Password: ROOT_PASSWORD }))
      .data;
    const call = (name: string, body: object) =>
      api.sendBare('POST', `/api/Otp/${name}`, body, { authorization: String(token) });
    const secret = String((await call('Enrol', { Password: ROOT_PASSWORD })).data.Secret);
    const Otp = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    const recovery = (await call('Confirm', { Otp })).data.RecoveryCodes as readonly string[];
    const subjects = () => server.mails.map(({ to, headers }) => [to[0], headers.subject]);
    await expect.poll(subjects).toEqual([['r@example.com', 'subnetd: One-time codes are on']]);
    expect((await call('Remove', { Password: ROOT_PASSWORD, Otp: recovery[0] })).http).toBe(200);
    await expect.poll(subjects).toHaveLength(2);
    const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/;
    expect(server.mails[0]?.text.replace(TIME, 'TIME')).toBe(
      `Hello R,\n\nOne-time codes were turned on at TIME for your account root at ${MAILED_URL}. From now on, signing in also requires a code.\n\nIf it was not you, choose a new password at once: ${MAILED_URL}/portal/forgotten\n\nThen ask an admin to look at the security log.\n`,
    );
    expect(server.mails[1]?.text.replace(TIME, 'TIME')).toContain(
      'One-time codes were turned off at TIME for your account root',
    );
    for (const one of [secret, Otp, ...recovery]) for (const { raw } of server.mails) expect(raw).not.toContain(one);
  });
});

describe('the command on the machine of the database', () => {
  const environment: Record<string, string> = {};
  const databases = useDatabases('sqlite');
  const create = async () => {
    const address = await databases.create();
    if (address.kind === 'sqlite') environment.SUBNETD_DATABASE_URL = `sqlite:${address.path}`;
    waiting = async () => {
      const connection = await openDatabase(address);
      return connection.column('select address from mail').finally(() => connection.close());
    };
    return address;
  };
  let waiting = async (): Promise<readonly unknown[]> => [];
  const api = useApi({ create });

  it('removes the codes of who has lost them, and leaves a line in the trail', async () => {
    const remove = (name: string) => runCommand(['admin', 'remove-codes', name], environment);
    await api.store.startCodes(1, 'sealed');
    await api.store.confirmCodes(1, { secret: 'sealed', hashes: ['hash'] }, onCommandLine(0));
    expect(await remove('root')).toEqual({
      ...{ code: 0, stderr: '' },
      stdout: 'the one-time codes of admin user 1 are removed; the password alone signs in\n',
    });
    expect(await api.store.findCodes(1)).toBeUndefined();
    const events = (await api.store.searchAudit({ limit: 100 })).filter(({ resource }) => resource === 'OneTimeCodes');
    expect(events.at(-1)).toMatchObject({ action: 'remove', recordId: 1, credential: 'command line', owner: null });
    expect((await remove('root')).stdout).toBe('admin user 1 has no one-time codes; the password alone signs in\n');
    expect(await waiting()).toEqual([]);
    expect(await remove('Root')).toEqual({
      ...{ code: 2, stdout: '' },
      stderr: 'subnetd admin remove-codes: no admin user has that name; check the spelling and the case\n',
    });
  });

  it('queues a note to the user where its settings name a mail server', async () => {
    await api.store.startCodes(1, 'sealed');
    await api.store.confirmCodes(1, { secret: 'sealed', hashes: ['hash'] }, onCommandLine(0));
    const mail = {
      SUBNETD_SMTP_URL: 'smtp://127.0.0.1:1',
      SUBNETD_MAIL_FROM: 'subnetd@example.com',
      SUBNETD_PUBLIC_URL: 'https://subnetd.example.com',
    };
    expect(await runCommand(['admin', 'remove-codes', 'root'], { ...environment, ...mail })).toMatchObject({
      ...{ code: 0, stderr: '' },
    });
    expect(await waiting()).toEqual(['r@example.com']);
  });
});

it('a sealed text opens with its own secret only, and not when it was changed', () => {
  const sealer = createSealer('one secret');
  const sealed = sealer.seal('a text');
  expect(sealer.seal('a text')).not.toBe(sealed);
  expect(createSealer('one secret').unseal(sealed)).toBe('a text');
  expect(createSealer('another secret').unseal(sealed)).toBeUndefined();
  const changed = `${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'Q' : 'A'}`;
  for (const text of [changed, '', 'no seal', sealed.slice(0, 30)]) expect(sealer.unseal(text)).toBeUndefined();
  expect(sealer.digest('a')).not.toBe(createSealer('another secret').digest('a'));
});

it('recovery codes differ, and are found by their first character', () => {
  const codes = [...makeRecoveryCodes(), ...makeRecoveryCodes()];
  expect(new Set(codes).size).toBe(20);
  for (const [index, code] of codes.entries()) {
    expect(code).toMatch(/^\d[0-9a-hjkmnp-tv-z]{3}(?:-[0-9a-hjkmnp-tv-z]{4}){3}$/);
    expect(parseRecoveryCode(code)).toEqual({ place: index % 10, code });
  }
});
