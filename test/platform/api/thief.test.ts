import { beforeAll, describe, expect, it } from 'vitest';
import { proveUpdate } from '../../../src/platform/api/accounts/prove-caller.ts';
import type { Actor } from '../../../src/platform/api/actor.ts';
import type { CallDeps } from '../../../src/platform/api/call.ts';
import { onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { operationsOf } from '../../../src/platform/api/operations.ts';
import { adminUser, resources } from '../../../src/platform/api/resources.ts';
import { type ApiRecord, PASSWORD_MASK } from '../../../src/platform/model/resource.ts';
import { ROOT_PASSWORD } from '../../support/api.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { addUser, enrolCodes, signInAs, type TestCodes } from '../../support/one-time-codes.ts';
import { useDatabases } from '../../support/use-api.ts';
import { useMailedApi } from '../../support/use-mailed-api.ts';

const MINUTE = 60_000;
/** The users. `ada`, who is robbed, and `dora` have one-time codes. `carol` is inactive. */
const [ADA, BOB, CAROL, DORA] = [2, 3, 4, 5];
const MISSING = 'Otp is missing; this step needs a one-time code, because your account has them turned on';

const person = (UserName: string) => ({
  ...{ FirstName: 'F', LastName: 'L', UserName, EmailID: `${UserName}@example.com`, CreateBy: 1 },
});
const update = (UserID: number, UserName: string, change: object = {}) => ({
  ...{ UserID, FirstName: UserName[0], LastName: UserName[0], UserName, EmailID: `${UserName}@example.com` },
  ...{ Password: PASSWORD_MASK, IsActive: UserID !== CAROL, UpdateBy: 1, ...change },
});

/** What a request of the thief is for, the operation, the end of its path and its body. */
type Way = readonly [what: string, id: string, path: string, body: object];

/** In an order in which each of them works, for who may. */
const WAYS: readonly Way[] = [
  ['adds an admin user', 'addAdminUser', '', { ...person('eve'), Password: 'a long sentence', IsActive: true }],
  ['invites an admin user', 'inviteAdminUser', '', person('mallory')],
  ['mails a link that activates', 'sendActivation', '', { UserID: CAROL }],
  ['activates an inactive user', 'updateAdminUser', '1', update(CAROL, 'carol', { IsActive: true })],
  ['guesses a password', 'updateAdminUser', '1', update(BOB, 'bob', { Password: ROOT_PASSWORD })],
  ['sets the password of another', 'updateAdminUser', '1', update(BOB, 'bob', { Password: 'a new password' })],
  ['changes the address of another', 'updateAdminUser', '1', update(BOB, 'bob', { EmailID: 'bob@evil.example' })],
  ['renames a user', 'updateAdminUser', '1', update(BOB, 'bob', { UserName: 'robert' })],
  ['removes the codes of another', 'resetOtp', '', { UserID: DORA }],
  ['ends the wait of a user', 'unlockAccount', '', { UserID: BOB }],
  ['makes a key of another', 'addApiKey', '', { Name: 'x', Scopes: ['write'], UserID: BOB }],
  ['makes a key that outlives the token', 'addApiKey', '', { Name: 'x', Scopes: ['admin'] }],
  ['opens a key of another to other addresses', 'restrictApiKey', 'BOBS_KEY', { AllowedIPs: ['192.0.2.66'] }],
  ['takes the place of a key of another', 'rotateApiKey', 'BOBS_KEY', {}],
  ['deactivates a user', 'updateAdminUser', '1', update(BOB, 'bob', { IsActive: false })],
  ['changes the own address', 'updateAdminUser', '1', update(ADA, 'ada', { EmailID: 'ada@evil.example' })],
  ['sets the own password', 'updateAdminUser', '1', update(ADA, 'ada', { Password: 'a new password' })],
];
/** Only a token does this. */
const CHANGE: Way = [
  'changes the own password',
  ...(['changePassword', '', { Password: ROOT_PASSWORD, NewPassword: 'a new password' }] as const),
];

/** Operations that need no code: they give nobody an account, or ask for more than a code by themselves. */
const HARMLESS = [
  ...['listAdminUsers', 'listProjectTypes', 'addProjectType', 'updateProjectType', 'listSectors', 'addSector'],
  ...['updateSector', 'listIndustries', 'addIndustry', 'updateIndustry', 'listAudit', 'listApiKeys', 'getWallet'],
  'addImage',
  // These end something.
  ...['revokeApiKey', 'revokeToken'],
  // Open to everybody, or about the credential itself. A token of a key has the scopes and the end of that key.
  ...['getToken', 'getMe', 'getOtpStatus', 'forgotPassword', 'resetPassword', 'activateAccount', 'sendTestMail'],
  // Only without codes.
  ...['enrolOtp', 'confirmOtp'],
  // These need the password too, and the code in the request.
  ...['renewRecoveryCodes', 'removeOtp'],
];

const operations = operationsOf(resources);

it('each operation is one that the thief is refused, or harmless', () => {
  const known = new Set([...[...WAYS, CHANGE].map(([, id]) => id), ...HARMLESS]);
  expect(operations.map(({ id }) => id).filter((id) => !known.has(id))).toEqual([]);
});

describe.each(DATABASE_KINDS)('on %s, a thief', (kind) => {
  // The lock after failures is on with the limit of sign-ins.
  const limits = { rate: 0, burst: 0, signIns: 1_000 };
  const { api, wait: moveClock } = useMailedApi(useDatabases(kind), { limits });
  let waited = 0;
  const wait = (ms: number) => {
    waited += ms;
    moveClock(ms);
  };
  let codes: TestCodes;
  let bobsKey = 0;
  const stolen: Record<'token' | 'write' | 'admin' | 'read', Readonly<Record<string, string>>> = {
    ...{ token: {}, write: {}, admin: {}, read: {} },
  };
  const code = () => codes.at(Date.now() + waited);
  const signIn = async (Otp?: string) => ({ authorization: String((await signInAs(api, 'ada', Otp)).data.token) });

  const send = ([, id, end, body]: Way, headers: Readonly<Record<string, string>>, Otp?: string) => {
    const operation = operations.find((one) => one.id === id);
    if (operation === undefined) throw new Error(`there is no operation ${id}`);
    const path = operation.path.replace(/\{\w+\}/, end.replace('BOBS_KEY', String(bobsKey)));
    return api.sendBare(operation.method, `/api${path}`, { ...body, ...(Otp !== undefined && { Otp }) }, headers);
  };

  /** All by which somebody signs in, except the last use of a code. */
  const readState = async () => ({
    users: await Promise.all(
      [1, ADA, BOB, CAROL, DORA, 6].map(async (id) => [
        await api.store.findUser({ id }),
        await api.store.find(adminUser, id),
        await api.store.findCodes(id),
      ]),
    ),
    keys: (await api.store.listKeys()).map(({ id, owner, expiresAt, revokedAt, allowedIps }) => [
      ...[id, owner, expiresAt, revokedAt, allowedIps],
    ]),
  });

  beforeAll(async () => {
    for (const name of ['ada', 'bob', 'carol', 'dora']) await addUser(api, name, name !== 'carol');
    codes = await enrolCodes(api, 'ada', Date.now() + waited);
    await enrolCodes(api, 'dora', Date.now() + waited);
    wait(MINUTE);
    stolen.token = await signIn(code());
    for (const scope of ['write', 'admin', 'read'] as const)
      stolen[scope] = { 'x-api-key': (await api.makeKey(scope, ADA)).key };
    bobsKey = (await api.makeKey('write', BOB)).id;
    wait(10 * MINUTE + 1_000);
  }, 60_000);

  /** Forgets the wrong codes of `ada`, after which a thief has to wait. */
  const forgetFailures = async () => {
    const sealer = await (await api.platform.services()).sealer();
    await api.store.clearFailures(sealer.digest('user name ada'));
  };

  it.each([...WAYS, CHANGE])('%s by no token and no key, without a code', async (...way) => {
    const before = await readState();
    const { scope } = operations.find(({ id }) => id === way[1]) ?? {};
    // A fresh token of a key is of no sign-in.
    const made = await api.sendBare('POST', '/api/Auth/Token', {}, stolen.write);
    const all = { ...stolen, 'token of a key': { authorization: `Bearer ${made.data.token}` } };
    const mayTry = new Set([
      'token',
      ...(scope === undefined ? [] : [scope]),
      ...(scope === 'write' ? ['token of a key'] : []),
    ]);
    for (const [name, headers] of Object.entries(all)) {
      const { appErrorCode, errMessage } = await send(way, headers);
      if (mayTry.has(name)) expect([appErrorCode, errMessage], name).toEqual([1122, MISSING]);
      else expect([1104, 1113], name).toContain(appErrorCode);
    }
    const far = Date.now() + waited;
    expect((await send(way, stolen.token, codes.at(far + 5 * MINUTE))).appErrorCode).toBe(1119);
    expect((await send(way, stolen.token, codes.at(far - 2 * MINUTE))).appErrorCode).toBe(1124);
    expect((await send(way, stolen.token, '12345')).appErrorCode).toBe(1122);
    expect(await readState()).toEqual(before);
    await forgetFailures();
  });

  it('is left with what gives nobody an account', async () => {
    const put = (change: object, headers: Readonly<Record<string, string>>) =>
      api.sendBare('PUT', '/api/AdminUser/Update/1', update(BOB, 'bob', change), headers);
    expect((await put({ LastName: 'B' }, stolen.token)).http).toBe(200);
    expect((await put({}, stolen.write)).http).toBe(200);
    const industry = { IndustryName: 'Rails', ImagePath: 'a.png', IsDeleted: false, CreateBy: 1 };
    expect((await api.sendBare('POST', '/api/Industry/Add', industry, stolen.write)).http).toBe(200);
  });

  it('waits after ten wrong codes, which are in the security log', async () => {
    const tries = [];
    for (let i = 0; i < 11; i += 1) tries.push((await send(WAYS[0] as Way, stolen.write, '000000')).appErrorCode);
    expect(tries).toEqual([...Array.from({ length: 10 }, () => 1119), 1102]);
    expect((await send(WAYS[0] as Way, stolen.write, code())).appErrorCode).toBe(1102);
    await forgetFailures();
  });

  it('loses a sign-in with a code ten minutes after it, and gains none by a sign-in from before the codes', async () => {
    const key: Way = ['', 'addApiKey', '', { Name: 'y', Scopes: ['read'] }];
    const { authorization } = await signIn(code());
    wait(10 * MINUTE - 1_000);
    expect((await send(key, { authorization })).http).toBe(200);
    wait(2_000);
    expect((await send(key, { authorization })).errMessage).toBe(MISSING);
    const before = { authorization: String((await signInAs(api, 'bob')).data.token) };
    await api.store.startCodes(BOB, 'sealed');
    await api.store.confirmCodes(BOB, { secret: 'sealed', hashes: ['none'] }, onCommandLine(0));
    expect((await send(key, before)).errMessage).toBe(MISSING);
    await api.store.removeCodes(BOB, onCommandLine(0));
    expect((await send(key, before)).http).toBe(200);
  });

  it.each(WAYS)('is not who has the code, which serves once: who %s', async (...way) => {
    wait(MINUTE);
    const scope = operations.find(({ id }) => id === way[1])?.scope === 'admin' ? 'admin' : 'write';
    const Otp = code();
    const done = await send(way, stolen[scope], Otp);
    expect([done.http, done.errMessage]).toEqual([200, undefined]);
    const again = await send(['', 'addApiKey', '', { Name: 'y', Scopes: ['read'] }], stolen.admin, Otp);
    expect(again.errMessage).toBe('Otp was used before; wait for the next code');
    await forgetFailures();
  });

  it('gets no further by a recovery code that was used, and leaves events without codes', async () => {
    const [Otp = ''] = codes.recovery;
    const unlock: Way = ['', 'unlockAccount', '', { UserID: 1 }];
    expect((await send(unlock, stolen.admin, Otp)).http).toBe(200);
    expect((await send(unlock, stolen.admin, Otp)).appErrorCode).toBe(1119);
    await api.platform.stop();
    const events = (await api.store.searchAudit({ limit: 10_000 })).filter(({ isSecurity }) => isSecurity);
    const actions = events.filter(({ credential }) => credential.startsWith('key ')).map(({ action }) => action);
    expect(actions).toEqual(
      expect.arrayContaining(['token', 'scope refused', 'code refused', 'recovery code used', 'unlocked']),
    );
    expect(events.find(({ action }) => action === 'locked')).toMatchObject({ resource: 'AdminUser', recordId: ADA });
    expect(api.logged.join('') + JSON.stringify(events)).not.toContain(Otp);
  });
});

it('an update that needs no code changes no sign-in, even if the user is another by then', async () => {
  const bob = { UserName: 'bob', EmailID: 'bob@example.com', Password: PASSWORD_MASK, IsActive: true, LastName: 'B' };
  const store = { find: async () => bob, findCodes: async () => ({ isConfirmed: true }) };
  const actor = { store, caller: { owner: ADA, scopes: [], credential: 'token' } };
  const deps = { now: Date.now, requiresOtp: false } as CallDeps;
  const isKnown = ({ LastName }: ApiRecord) => LastName !== 'known to nobody';
  const of = { resource: adminUser, id: BOB, values: { ...bob, LastName: 'Baker' }, isKnown };
  const proved = await proveUpdate(actor as unknown as Actor, of, undefined, deps);
  const holds = proved.ok ? proved.value : undefined;
  expect([holds?.(bob), holds?.({ ...bob, LastName: 'known to nobody' })]).toEqual([true, false]);
  for (const change of [{ IsActive: false }, { UserName: 'bert' }, { EmailID: 'bert@example.com' }])
    expect(holds?.({ ...bob, ...change })).toBe(false);
});
