import { writeFileSync } from 'node:fs';
import { Secret, TOTP } from 'otpauth';
import { expect, it, onTestFinished } from 'vitest';
import { createSealer } from '../../../src/platform/api/accounts/sealer.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { type Api, ROOT_PASSWORD, startApi } from '../../support/api.ts';
import { runCommand } from '../../support/run-command.ts';
import { useDatabases } from '../../support/use-api.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const databases = useDatabases('sqlite');
const { pathOf } = useCleanups();
const [FIRST, SECOND] = ['a first secret key of the tests, long', 'a second secret key of the tests, long'] as const;

it('a secret key takes tokens and one-time codes out of the reach of the database, and can be rotated', async () => {
  const address = await databases.create();
  const read = async (sql: string) => {
    const connection = await openDatabase(address);
    const [value = ''] = await connection.column(sql);
    await connection.close();
    return value;
  };
  let now = Date.UTC(2026, 0, 31, 12);
  const start = async (...secretKeys: string[]) => {
    now += 60_000;
    const api = await startApi(address, { secretKeys }, undefined, { now: () => now });
    onTestFinished(api.stop);
    return api;
  };
  let secret = '';
  const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now });
  const signIn = (api: Api, Otp?: string) =>
    api.sendBare('POST', '/api/Auth/Token', { UserName: 'root', Password: ROOT_PASSWORD, Otp });
  const list = async (api: Api, token: string) =>
    (await api.sendBare('GET', '/api/Sector/ListAll/0', undefined, { authorization: token })).appErrorCode;

  const before = await start();
  const oldToken = (await signIn(before)).data.token;
  const call = (name: string, body: object) =>
    before.sendBare('POST', `/api/Otp/${name}`, body, { authorization: oldToken });
  secret = String((await call('Enrol', { Password: ROOT_PASSWORD })).data.Secret);
  expect((await call('Confirm', { Otp: code() })).http).toBe(200);
  const inDatabase = createSealer(await read("select value from kept_value where name = 'jwt_secret'"));
  const sealed = () => read('select secret from one_time_code');
  expect(inDatabase.unseal(await sealed())).toBe(secret);

  const first = await start(FIRST);
  expect(await list(first, oldToken)).toBe(1104);
  const { token } = (await signIn(first, code())).data;
  expect(await list(first, token)).toBeUndefined();
  expect(inDatabase.unseal(await sealed())).toBeUndefined();

  const rotated = await start(SECOND, FIRST);
  expect(await list(rotated, token)).toBe(1104);
  expect((await signIn(rotated, code())).http).toBe(200);
  const second = await start(SECOND);
  expect((await signIn(second, code())).http).toBe(200);
  expect(createSealer(FIRST).unseal(await sealed())).toBeUndefined();
});

it('the commands read the secret key from its file, and a check of the audit trail needs it', async () => {
  const address = await databases.create();
  if (address.kind !== 'sqlite') throw new Error('this test needs SQLite');
  const environment = { SUBNETD_DATABASE_URL: `sqlite:${address.path}` };
  writeFileSync(pathOf('key'), `${SECOND}\n${FIRST}\n`.replaceAll(' ', '-'));
  const keyed = { ...environment, SUBNETD_SECRET_KEY_FILE: pathOf('key') };
  const words = ['--user-name', 'r', '--first-name', 'R', '--last-name', 'T', '--email', 'r@example.com'];
  expect((await runCommand(['admin', 'create', ...words], keyed)).code).toBe(0);
  const found = await runCommand(['audit', '--verify'], keyed);
  expect(found).toMatchObject({ code: 0, stderr: '' });
  expect(found.stdout).toContain('changes: 1 row, 1 with a secret key, from row 1 on\nchanges: the chain holds\n');
  const head = /head (changes:1:\S+)/.exec(found.stdout)?.[1] ?? '';
  expect((await runCommand(['audit', '--verify', '--head', head], keyed)).code).toBe(0);
  const wrong = `${head.slice(0, -1)}${head.endsWith('A') ? 'B' : 'A'}`;
  const refused = await runCommand(['audit', '--verify', '--head', wrong], keyed);
  expect(refused).toMatchObject({ code: 1, stderr: '' });
  expect(refused.stdout).toContain(
    'the chain is broken at row 1, which has a different hash from the head that was kept',
  );
  const later = await runCommand(['audit', '--verify', '--json', '--head', head.replace(':1:', ':7:')], keyed);
  expect(later.code).toBe(1);
  expect(JSON.parse(later.stdout)).toMatchObject({ holds: false, missingHeads: [head.replace(':1:', ':7:')] });
  expect((await runCommand(['audit', '--verify', '--head', 'nonsense'], keyed)).code).toBe(2);
  const other = await runCommand(['audit', '--verify'], {
    ...environment,
    SUBNETD_SECRET_KEY: FIRST.replaceAll(' ', '-'),
  });
  expect(other).toMatchObject({ code: 1, stderr: '' });
  expect(await runCommand(['audit'], { ...environment, SUBNETD_SECRET_KEY: 'short' })).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('SUBNETD_SECRET_KEY must be 32 bytes or longer') },
  });
});
