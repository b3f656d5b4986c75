import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { parseTrustedProxies } from '../../../../src/lib/addresses.ts';
import { onCommandLine } from '../../../../src/platform/api/create-admin.ts';
import { type Api, platformSettings, ROOT_PASSWORD, startApi, startPlatform } from '../../../support/api.ts';
import { DATABASE_KINDS } from '../../../support/databases.ts';
import { addFailure, findFailures } from '../../../support/sign-in-failures.ts';
import { useDatabases } from '../../../support/use-api.ts';

const parsed = parseTrustedProxies('127.0.0.0/8');
if (!parsed.ok) throw new Error('unreachable');
const settings = { limits: { rate: 0, burst: 0, signIns: 100_000 }, trustedProxies: parsed.proxies };
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOME = '203.0.113.7';
const LOCKED = 'too many sign-ins failed; retry after the time in Retry-After, or ask an admin to unlock the account';

describe.each(DATABASE_KINDS)('repeated failures on %s', (kind) => {
  const databases = useDatabases(kind);
  let now = Date.UTC(2026, 0, 31, 12);

  /** Runs a test with an API and a replica on a database of its own. */
  async function onReplicas(run: (api: Api, replica: Api) => Promise<void>) {
    const address = await databases.create();
    const api = await startApi(address, settings, undefined, { now: () => now });
    const replica = await startApi(address, settings, undefined, { now: () => now });
    try {
      await run(api, replica);
    } finally {
      await api.stop();
      await replica.stop();
    }
  }
  const signIn = (api: Api, address: string, Password = ROOT_PASSWORD, UserName = 'root') =>
    api.sendBare('POST', '/api/Auth/Token', { UserName, Password }, { 'x-forwarded-for': address });
  const fail = async (api: Api, address: string, times: number, UserName = 'root') => {
    const codes = [];
    for (let i = 0; i < times; i += 1) codes.push((await signIn(api, address, 'wrong', UserName)).appErrorCode);
    return codes;
  };
  const tenWrong = Array.from({ length: 10 }, () => 1104);

  it.each(['root', 'nobody'])(
    'lock the name %s for that address, longer each time, and nobody elsewhere',
    async (name) =>
      onReplicas(async (api, replica) => {
        await signIn(api, HOME);
        expect(await fail(api, '192.0.2.1', 10, name)).toEqual(tenWrong);
        for (const one of [api, replica]) {
          const refused = await signIn(one, '192.0.2.1', ROOT_PASSWORD, name);
          expect(refused).toMatchObject({ http: 400, appErrorCode: 1102, errMessage: LOCKED });
          expect(refused.headers.get('retry-after')).toBe('60');
          expect(refused.headers.get('ratelimit')).toBe('"lock";r=0;t=60');
        }
        expect((await signIn(api, HOME)).http).toBe(200);
        now += 59 * SECOND;
        expect((await signIn(api, '192.0.2.1', 'wrong', name)).headers.get('retry-after')).toBe('1');
        now += SECOND;
        expect((await signIn(api, '192.0.2.1', 'wrong', name)).appErrorCode).toBe(1104);
        expect((await signIn(api, '192.0.2.1', 'wrong', name)).headers.get('retry-after')).toBe('120');
        for (let wait = 2; wait <= 64; wait *= 2) {
          now += wait * MINUTE;
          expect((await signIn(api, '192.0.2.1', 'wrong', name)).appErrorCode).toBe(1104);
        }
        expect((await signIn(api, '192.0.2.1', 'wrong', name)).headers.get('retry-after')).toBe('3600');
        now += 25 * 60 * MINUTE;
        expect(await fail(api, '192.0.2.1', 2, name)).toEqual([1104, 1104]);
      }),
  );

  it('are forgotten by a sign-in, and many good ones at once are no failures', async () =>
    onReplicas(async (api) => {
      await fail(api, '192.0.2.1', 9);
      expect((await signIn(api, '192.0.2.1')).http).toBe(200);
      expect(await fail(api, '192.0.2.1', 9)).not.toContain(1102);
      const together = await Promise.all(Array.from({ length: 12 }, () => signIn(api, '192.0.2.1')));
      expect(together.map(({ http }) => http)).toEqual(together.map(() => 200));
    }));

  it('at the same time are counted one by one', async () =>
    onReplicas(async (api) => {
      const codes = await Promise.all(Array.from({ length: 20 }, () => fail(api, '192.0.2.1', 1)));
      expect(codes.flat().filter((code) => code === 1104)).toHaveLength(10);
    }));

  it('at the same time on six replicas are no more guesses than on one', async () => {
    const address = await databases.create();
    const replicas: Api[] = [];
    try {
      for (let n = 0; n < 6; n += 1) replicas.push(await startApi(address, settings, undefined, { now: () => now }));
      const all = replicas.flatMap((replica) => Array.from({ length: 4 }, () => fail(replica, '192.0.2.1', 1)));
      const codes = (await Promise.all(all)).flat();
      expect(codes.filter((code) => code === 1104)).toHaveLength(10);
      expect(codes.filter((code) => code === 1102)).toHaveLength(14);
    } finally {
      for (const replica of replicas) await replica.stop();
    }
  });

  it('of an attempt that was none leave no wait: a right password, as long as it only confirms', async () =>
    onReplicas(async (api) => {
      const headers = { 'x-forwarded-for': HOME, authorization: (await signIn(api, HOME)).data.token };
      const enrol = (Password: string) => api.sendBare('POST', '/api/Otp/Enrol', { Password }, headers);
      for (let i = 0; i < 10; i += 1) expect((await enrol('wrong')).appErrorCode).toBe(1118);
      now += MINUTE;
      for (let i = 0; i < 3; i += 1) expect((await enrol(ROOT_PASSWORD)).http).toBe(200);
      expect((await enrol('wrong')).appErrorCode).toBe(1118);
      expect((await enrol(ROOT_PASSWORD)).headers.get('retry-after')).toBe('120');
    }));

  it('from many new addresses delay all of them a little, and no known address', async () =>
    onReplicas(async (api) => {
      await signIn(api, HOME);
      for (let i = 1; i <= 20; i += 1) expect(await fail(api, `192.0.2.${i}`, 1)).toEqual([1104]);
      const refused = await signIn(api, '192.0.2.99');
      expect([refused.appErrorCode, refused.headers.get('retry-after')]).toEqual([1102, '1']);
      expect((await signIn(api, HOME)).http).toBe(200);
      now += SECOND;
      expect(await fail(api, '192.0.2.21', 1)).toEqual([1104]);
      expect((await signIn(api, '192.0.2.99')).headers.get('retry-after')).toBe('2');
      now += 2 * SECOND;
      expect((await signIn(api, '192.0.2.99')).http).toBe(200);
      expect((await signIn(api, '192.0.2.98')).http).toBe(200);
    }));

  it('are forgotten by an admin, who names the user', async () =>
    onReplicas(async (api, replica) => {
      const { key } = await api.makeKey('admin');
      const unlock = (UserID: unknown) => replica.sendBare('POST', '/api/Account/Unlock', { apiKey: key, UserID });
      await fail(api, '192.0.2.1', 10);
      expect((await signIn(api, '192.0.2.1')).appErrorCode).toBe(1102);
      expect((await api.send('POST', '/api/Account/Unlock', { UserID: 1 })).appErrorCode).toBe(1104);
      expect((await unlock(1)).data).toEqual({ result: 'success', UserID: 1, HadFailures: true });
      expect((await signIn(api, '192.0.2.1')).http).toBe(200);
      expect((await unlock(1)).data).toMatchObject({ HadFailures: false });
      const other = {
        FirstName: 'F',
        LastName: 'L',
        UserName: 'other',
        Password: ROOT_PASSWORD,
        EmailID: 'o@example.com',
      };
      const added = await api.send('POST', '/api/AdminUser/Add', { ...other, IsActive: false, CreateBy: 1 });
      expect(await unlock(added.data.UserID)).toMatchObject({
        ...{ http: 500, appErrorCode: 1108 },
        errMessage: 'that admin user is inactive, so signing in would still fail; set IsActive to true first',
      });
      expect(await unlock(99)).toMatchObject({ http: 404, appErrorCode: 1121 });
      expect((await unlock('1')).appErrorCode).toBe(1003);
      await api.platform.stop();
      await replica.platform.stop();
      const events = await api.store.searchAudit({ limit: 1_000 });
      const found = (action: string) => events.filter((event) => event.action === action);
      expect(found('locked')).toMatchObject([{ resource: 'AdminUser', recordId: 1, ip: '192.0.2.1' }]);
      expect(found('unlocked')[0]).toMatchObject({ resource: 'AdminUser', recordId: 1, owner: 1 });
    }));

  it('of long ago are deleted from time to time, and those of today stay', async () => {
    const address = await databases.create();
    const { store, stop } = await startApi(address, settings, undefined, { now: () => now });
    const platform = startPlatform(platformSettings(address), { now: () => now, cleanEveryMs: 20 });
    try {
      await platform.services();
      const at = (hours: number) => new Date(now - hours * 60 * MINUTE).toISOString();
      await addFailure(store, 'old', ['192.0.2.1'], at(25), at(48));
      await addFailure(store, 'new', ['192.0.2.1'], at(23), at(48));
      await expect.poll(() => findFailures(store, 'old', ['192.0.2.1'])).toEqual([undefined]);
      expect(await findFailures(store, 'new', ['192.0.2.1'])).toMatchObject([{ failures: 1 }]);
    } finally {
      await platform.stop();
      await stop();
    }
  });

  it('of the own password or of a code count too', async () =>
    onReplicas(async (api) => {
      const headers = { 'x-forwarded-for': HOME, authorization: (await signIn(api, HOME)).data.token };
      const enrol = (Password: string) => api.sendBare('POST', '/api/Otp/Enrol', { Password }, headers);
      const codes = [];
      for (let i = 0; i < 11; i += 1) codes.push((await enrol('wrong')).appErrorCode);
      expect(codes).toEqual([...Array.from({ length: 10 }, () => 1118), 1102]);
      expect((await enrol(ROOT_PASSWORD)).appErrorCode).toBe(1102);
      expect((await signIn(api, HOME)).appErrorCode).toBe(1102);
    }));

  it('of the own password from many new addresses together wait, and one that is known does not', async () =>
    onReplicas(async (api) => {
      const { token } = (await signIn(api, HOME)).data;
      const enrol = (address: string, Password: string) =>
        api.sendBare('POST', '/api/Otp/Enrol', { Password }, { 'x-forwarded-for': address, authorization: token });
      const codes = [];
      for (let i = 0; i < 21; i += 1) codes.push((await enrol(`192.0.2.${i}`, 'wrong')).appErrorCode);
      expect(codes).toEqual([...Array.from({ length: 20 }, () => 1118), 1102]);
      expect((await enrol(HOME, ROOT_PASSWORD)).http).toBe(200);
    }));

  it('of the first code of an app count, and the password alone does not forget them', async () =>
    onReplicas(async (api) => {
      const headers = { 'x-forwarded-for': HOME, authorization: (await signIn(api, HOME)).data.token };
      const enrol = () => api.sendBare('POST', '/api/Otp/Enrol', { Password: ROOT_PASSWORD }, headers);
      const secret = String((await enrol()).data.Secret);
      const right = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now });
      const wrong = right === '000000' ? '000001' : '000000';
      const codes = [];
      for (let i = 0; i < 11; i += 1) {
        if (i === 9) expect((await enrol()).http).toBe(200);
        codes.push((await api.sendBare('POST', '/api/Otp/Confirm', { Otp: wrong }, headers)).appErrorCode);
      }
      expect(codes).toEqual([...Array.from({ length: 10 }, () => 1119), 1102]);
      await api.platform.stop();
      const events = await api.store.searchAudit({ limit: 1_000 });
      const of = (action: string) => events.find((event) => event.action === action && event.owner === 1);
      expect(of('code refused')).toMatchObject({ recordId: 1, credential: 'token', ip: HOME });
      expect(of('slowed')).toMatchObject({ changes: { Limit: { from: null, to: 'sign-in' } } });
    }));

  it('and a right password without the code of its app is in the security log', async () =>
    onReplicas(async (api) => {
      await api.store.startCodes(1, 'sealed');
      await api.store.confirmCodes(1, { secret: 'sealed', hashes: ['hash'] }, onCommandLine(now));
      expect((await signIn(api, '192.0.2.1')).appErrorCode).toBe(1122);
      await api.platform.stop();
      const refused = (await api.store.searchAudit({ limit: 1_000 })).filter(({ action }) => action === 'code refused');
      expect(refused).toMatchObject([{ resource: 'AdminUser', recordId: 1, ip: '192.0.2.1' }]);
    }));
});
