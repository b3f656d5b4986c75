import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminUser } from '../../../src/platform/api/resources.ts';
import type { DatabaseAddress } from '../../../src/store/database-url.ts';
import { type Api, ROOT_PASSWORD } from '../../support/api.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { addUser, enrolCodes, signInAs, type TestCodes } from '../../support/one-time-codes.ts';
import { startPortal, type TestPortal, type Visitor } from '../../support/portal.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const MINUTE = 60_000;
const AGAIN = /^\/portal\/sign-in\?next=[^&]*&again=1$/;

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  let address: Promise<DatabaseAddress> | undefined;
  let waited = 0;
  const now = () => Date.now() + waited;
  const create = () => {
    address ??= databases.create();
    return address;
  };
  /** The API on the same database. */
  const api: Api = useApi({ create }, {}, undefined, { now });
  let portal: TestPortal;
  let strict: TestPortal;
  let codes: TestCodes;
  let bob = 0;
  beforeAll(async () => {
    portal = await startPortal(await create());
    strict = await startPortal(await create(), { settings: { requiresOtp: true } });
    await addUser(portal, 'ada');
    bob = await addUser(portal, 'bob');
    codes = await enrolCodes(api, 'ada', now());
  }, 60_000);
  afterAll(async () => {
    await portal.stop();
    await strict.stop();
  });
  const wait = (ms: number) => {
    waited += ms;
    portal.wait(ms);
    strict.wait(ms);
  };
  const signIn = async (where: TestPortal, UserName: string, Otp = '') => {
    const visitor = where.visitor();
    await visitor.post('/portal/sign-in', { UserName, Password: ROOT_PASSWORD, Otp });
    return visitor;
  };
  /** The forms by which a thief with a session gets an account. */
  const forms = (): readonly (readonly [string, Readonly<Record<string, string>>])[] => [
    ['/portal/users/add', { UserName: 'eve', Password: 'a long sentence', EmailID: 'eve@example.com' }],
    [
      `/portal/users/${bob}`,
      { FirstName: 'B', LastName: 'B', UserName: 'bob', EmailID: 'eve@example.com', IsActive: 'true' },
    ],
    [`/portal/users/${bob}/remove-codes`, {}],
    [`/portal/users/${bob}/unlock`, {}],
    [`/portal/users/${bob}/send-activation`, {}],
    ['/portal/keys/add', { Name: 'x', admin: 'true' }],
    ['/portal/keys/1/rotate', { KeepHours: '0' }],
    ['/portal/account/profile', { FirstName: 'A', LastName: 'A', EmailID: 'eve@example.com' }],
  ];
  const readState = async () => ({
    users: await portal.store.list(adminUser, 0, 100),
    keys: await portal.store.listKeys(),
  });

  it('ten minutes after a sign-in with a code, each form that gives an account asks to sign in again', async () => {
    wait(MINUTE);
    const visitor = await signIn(portal, 'ada', codes.at(now()));
    wait(9 * MINUTE);
    await visitor.get('/portal/keys');
    const made = await visitor.post('/portal/keys/add', { Name: 'early', read: 'true' });
    expect(made.words).toContain('Key “early” was created.');
    wait(2 * MINUTE);
    const before = await readState();
    for (const [path, form] of forms()) {
      await visitor.get('/portal/account');
      await visitor.post(path, form);
      expect(visitor.path(), path).toMatch(AGAIN);
    }
    expect((await readState()).users).toEqual(before.users);
    expect((await readState()).keys).toEqual(before.keys);
    await visitor.post('/portal/sign-in', {
      UserName: 'ada',
      Password: ROOT_PASSWORD,
      Otp: codes.at(now()),
      again: '1',
    });
    await visitor.get('/portal/keys');
    expect((await visitor.post('/portal/keys/add', { Name: 'late', read: 'true' })).words).toContain(
      'Key “late” was created.',
    );
  });

  it('who has no codes is asked after fifteen minutes, as before', async () => {
    const visitor = await signIn(portal, 'bob');
    wait(14 * MINUTE);
    await visitor.get('/portal/keys');
    expect((await visitor.post('/portal/keys/add', { Name: 'x', read: 'true' })).words).toContain(
      'Key “x” was created.',
    );
    const { html } = await visitor.get('/portal/account');
    expect(html).not.toContain('id="password-Otp"');
  });

  it('a new password of the own needs the code too, in the form or in the sign-in', async () => {
    wait(MINUTE);
    const visitor = await signIn(portal, 'ada', codes.at(now()));
    wait(11 * MINUTE);
    const change = async (form: Readonly<Record<string, string>>) => {
      await visitor.get('/portal/account');
      return visitor.post('/portal/account/password', {
        Password: ROOT_PASSWORD,
        NewPassword: 'a new password',
        ...form,
      });
    };
    const refused = await change({});
    expect([refused.status, refused.words]).toEqual([
      400,
      expect.stringContaining(
        'One-time code is missing; this step needs a one-time code, because your account has them turned on. Code 1122',
      ),
    ]);
    expect(refused.html).toMatch(/id="password-Otp"[^>]* aria-invalid="true"/);
    const changed = await change({ Otp: codes.at(now()) });
    expect(changed.words).toContain('Your password was changed');
  });

  it('signing out everywhere ends the tokens of the user too, and no API key', async () => {
    const visitor = await signIn(portal, 'bob');
    const { key } = await api.makeKey('read', bob);
    const tokens = [
      (await signInAs(api, 'bob')).data.token,
      (await api.sendBare('POST', '/api/Auth/Token', { apiKey: key })).data.token,
    ];
    const list = (token: string) => api.sendBare('GET', `/api/Sector/ListAll/0?token=${token}`);
    for (const token of tokens) expect((await list(token)).http).toBe(200);
    await visitor.get('/portal/account');
    const left = await visitor.post('/portal/account/end-sessions');
    expect(left.words).toContain('You are signed out in every browser, and your tokens have ended.');
    for (const token of tokens) expect((await list(token)).appErrorCode).toBe(1104);
    expect((await api.sendBare('GET', `/api/Sector/ListAll/0?apiKey=${key}`)).http).toBe(200);
  });

  describe('with SUBNETD_REQUIRE_OTP', () => {
    let visitor: Visitor;
    const pages = ['/portal/keys', '/portal/users', '/portal/users/add', '/portal/industries', '/portal/audit-log'];

    it('who has no codes is led to set them up, and does nothing else', async () => {
      visitor = await signIn(strict, 'bob');
      expect(visitor.path()).toBe('/portal/account');
      for (const path of pages) {
        const { words } = await visitor.get(path);
        expect(visitor.path(), path).toBe('/portal/account');
        expect(words).toContain('Every admin user must use one-time codes here. Turn them on to continue.');
      }
      const { html } = await visitor.get('/portal/account');
      expect([...html.matchAll(/<form class="form" id="([\w-]+)"/g)].map(([, id]) => id)).toEqual(['codes-enrol']);
      const before = await readState();
      const own = { Password: ROOT_PASSWORD, NewPassword: 'a new password' };
      for (const [path, form] of [...forms(), ['/portal/account/password', own] as const]) {
        await visitor.get('/portal/account');
        await visitor.post(path, form);
        expect(visitor.path(), path).toBe('/portal/account');
      }
      expect(await readState()).toEqual(before);
    });

    it('who has set them up goes on, and signs in with one elsewhere', async () => {
      const elsewhere = await signIn(strict, 'bob');
      await visitor.get('/portal/account');
      const started = await visitor.post('/portal/account/codes-enrol', { Password: ROOT_PASSWORD });
      const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(started.html)?.[1] ?? '';
      const app = (at: number) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });
      const confirmed = await visitor.post('/portal/account/codes-confirm', { Otp: app(now()) });
      expect(confirmed.words).toContain('One-time codes are on');
      await visitor.get('/portal/keys');
      const made = await visitor.post('/portal/keys/add', { Name: 'first', read: 'true' });
      expect(made.words).toContain('Key “first” was created.');
      await elsewhere.get('/portal/account');
      expect(elsewhere.path()).toMatch(AGAIN);
      wait(MINUTE);
      await elsewhere.post('/portal/sign-in', {
        UserName: 'bob',
        Password: ROOT_PASSWORD,
        Otp: app(now()),
        again: '1',
      });
      await elsewhere.get('/portal/users');
      expect(elsewhere.path()).toBe('/portal/users');
    });

    it('a session without a code ends by a sign-out', async () => {
      const other = await signIn(strict, 'root');
      expect((await other.post('/portal/sign-out')).words).toContain('You are signed out.');
    });
  });
});
