import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTrustedProxies } from '../../../src/lib/addresses.ts';
import { createAdmin } from '../../../src/platform/api/create-admin.ts';
import { hashPassword } from '../../../src/platform/api/passwords.ts';
import { adminUser } from '../../../src/platform/api/resources.ts';
import { ROOT_PASSWORD } from '../../support/api.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { startPortal, type TestPortal } from '../../support/portal.ts';
import { useDatabases } from '../../support/use-api.ts';

const MINUTE = 60_000;
/** A page that needs a sign-in. */
const INSIDE = /^\/portal\/(?!sign-in)/;
const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' };

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  let portal: TestPortal;
  beforeAll(async () => {
    portal = await startPortal(await databases.create());
  }, 60_000);
  afterAll(() => portal.stop());

  it('who is not signed in gets to the page that was asked for after the sign-in', async () => {
    const visitor = portal.visitor();
    const asked = await visitor.get('/portal/account?a=1');
    expect([asked.status, visitor.path()]).toEqual([200, '/portal/sign-in?next=%2Fportal%2Faccount%3Fa%3D1']);
    expect(asked.words).toContain('Sign in User name Password One-time code');
    const form = { UserName: 'root', Password: ROOT_PASSWORD, next: '/portal/account?a=1' };
    const entered = await visitor.post('/portal/sign-in', form);
    expect([entered.status, visitor.path()]).toEqual([200, '/portal/account?a=1']);
    expect(entered.words).toContain('root Sign out');
  });

  it('of several cookies of the session, as another site of the host may set them, the one that is good counts', async () => {
    const visitor = portal.visitor();
    await visitor.signIn();
    const own = visitor.cookie();
    const other = (letter: string) => `subnetd-session=${letter.repeat(27)}`;
    const pathFor = async (cookie: string) => {
      const guest = portal.visitor({ cookie });
      const page = await guest.get('/portal/account');
      // Its forms are those of the same session.
      if (guest.path() === '/portal/account') expect((await guest.post('/portal/sign-out', {})).status).toBe(200);
      return [page.status, guest.path()];
    };
    const many = Array.from({ length: 50 }, (_, i) => other(String.fromCharCode(65 + (i % 26))));
    expect(await pathFor([...many, own].join('; '))).toEqual([200, expect.stringContaining('/portal/sign-in')]);
    expect(await pathFor(['subnetd-session=', other('A'), 'x=y', other('='), own, other('B')].join('; '))).toEqual([
      200,
      expect.stringContaining('signed-out'),
    ]);
  });

  it.each(['https://evil.example', '//evil.example', '/portal/../x', '/portal\\evil', '/metrics', '/portal/a b'])(
    'a sign-in does not lead to %s',
    async (next) => {
      const visitor = portal.visitor();
      await visitor.post('/portal/sign-in', { UserName: 'root', Password: ROOT_PASSWORD, next });
      expect(visitor.path()).toMatch(/^\/portal\/\w+$/);
    },
  );

  it('a wrong password is refused in the words of the API, with the name kept and the password not', async () => {
    const visitor = portal.visitor();
    const refused = await visitor.signIn('root', 'not this one');
    expect([refused.status, visitor.cookie()]).toEqual([403, '']);
    expect(refused.words).toContain('Wrong user name or password, or the user is inactive. Code 1104');
    expect(refused.html).toContain('href="/docs/codes#code-1104"');
    expect(refused.html).toContain('value="root"');
    expect(refused.html).not.toContain('not this one');
    expect(refused.html).toContain('<title>Error: Sign in, portal (subnetd)</title>');
    const empty = await visitor.signIn('root', '');
    expect(empty.words).toContain('Password is empty; give it a value.');
    expect(empty.html).toMatch(
      /id="sign-in-Password"[^>]* aria-describedby="sign-in-Password-error" aria-invalid="true"/,
    );
  });

  it('a session is a cookie that no script reads, and a row without its token', async () => {
    const visitor = portal.visitor();
    const { headers } = await visitor.signIn();
    expect(visitor.setCookie()).toMatch(/^subnetd-session=[\w-]{27}; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(headers.get('cache-control')).toBe('no-store');
    const token = visitor.cookie().split('=')[1] ?? '';
    const limits = { seen: '', signedIn: '' };
    expect(await portal.store.findSession(token, limits)).toBeUndefined();
    const listed = JSON.stringify(await portal.store.listSessions(1, limits));
    expect(listed).toContain('"userName":"root"');
    expect(listed).not.toContain(token);
  });

  it('each sign-in has a token of its own, and ends the session that the browser had', async () => {
    const visitor = portal.visitor();
    await visitor.signIn();
    const before = visitor.cookie();
    await visitor.signIn();
    expect(visitor.cookie()).not.toBe(before);
    const thief = portal.visitor({ cookie: before });
    await thief.get('/portal/account');
    expect(thief.path()).toMatch(/^\/portal\/sign-in/);
  });

  it('a sign-out ends the session for everybody who has its token', async () => {
    const visitor = portal.visitor();
    await visitor.signIn();
    const cookie = visitor.cookie();
    const left = await visitor.post('/portal/sign-out');
    expect(left.words).toContain('You are signed out.');
    expect(visitor.setCookie()).toMatch(/^subnetd-session=; Max-Age=0; Path=\//);
    const thief = portal.visitor({ cookie });
    await thief.get('/portal/account');
    expect(thief.path()).toMatch(/^\/portal\/sign-in/);
  });

  it('a session ends 30 minutes after its last request, and 12 hours after its sign-in', async () => {
    const idle = portal.visitor();
    const busy = portal.visitor();
    await idle.signIn();
    await busy.signIn();
    for (let minutes = 0; minutes < 12 * 60 - 20; minutes += 20) {
      portal.wait(20 * MINUTE);
      await busy.get('/portal/account');
      expect(busy.path(), `${minutes}`).toBe('/portal/account');
      if (minutes === 20) {
        await idle.get('/portal/account');
        expect(idle.path()).toMatch(/^\/portal\/sign-in/);
      }
    }
    portal.wait(20 * MINUTE);
    await busy.get('/portal/account');
    expect(busy.path()).toMatch(/^\/portal\/sign-in/);
    await portal.store.trimSessions({ seen: '9', signedIn: '9' });
    expect(await portal.store.listSessions(1, { seen: '', signedIn: '' })).toEqual([]);
  });

  it('sessions end with a new password and with deactivation, and do not come back', async () => {
    const grace = { FirstName: 'G', LastName: 'H', UserName: 'grace', Password: 'a long sentence', EmailID: 'g@h.io' };
    const added = await createAdmin(portal.store, grace, Date.now());
    const id = added.ok ? added.value : 0;
    const author = { statedBy: 1, owner: 1, credential: 'token', at: new Date().toISOString(), ip: null };
    const update = (values: Readonly<Record<string, string | boolean>>) =>
      portal.store.update({ resource: adminUser, id, values, author });
    const visitor = portal.visitor();
    await visitor.signIn('grace', 'a long sentence');
    expect(visitor.path()).not.toMatch(/sign-in/);
    await update({ Password: await hashPassword('another sentence') });
    await visitor.get('/portal/account');
    expect(visitor.path()).toMatch(/^\/portal\/sign-in/);
    await visitor.signIn('grace', 'another sentence');
    const cookie = visitor.cookie();
    await update({ IsActive: false });
    await update({ IsActive: true });
    const back = portal.visitor({ cookie });
    await back.get('/portal/account');
    expect(back.path()).toMatch(/^\/portal\/sign-in/);
  });

  it('the account lists the sessions of its user, and ends one, or all', async () => {
    const [here, there, elsewhere] = [portal.visitor(FIREFOX), portal.visitor(), portal.visitor()];
    for (const visitor of [there, elsewhere, here]) await visitor.signIn();
    const { words, html } = await here.get('/portal/account');
    expect(words).toContain('Firefox on Linux this one 192.0.2.1 0 s ago 0 s ago another browser End');
    const id = /name="id" value="(\d+)"/.exec(html)?.[1] ?? '';
    for (const other of ['x', '99999999999', '']) await here.post('/portal/account/end-session', { id: other });
    expect((await here.post('/portal/account/end-session', { id })).words).toContain('The session has ended.');
    await elsewhere.get('/portal/account');
    expect(elsewhere.path()).toMatch(/sign-in/);
    await there.get('/portal/account');
    expect(there.path()).toBe('/portal/account');
    await here.get('/portal/account');
    const { words: left } = await here.post('/portal/account/end-sessions');
    expect([here.cookie(), left]).toEqual([
      '',
      expect.stringContaining('You are signed out in every browser, and your tokens have ended.'),
    ]);
    await here.get('/portal/account');
    await there.get('/portal/account');
    for (const { path } of [here, there]) expect(path()).toMatch(/^\/portal\/sign-in/);
  });

  it('nobody ends the session of another user', async () => {
    const visitor = portal.visitor();
    await visitor.signIn();
    const [own] = await portal.store.listSessions(1, { seen: '', signedIn: '' });
    expect(await portal.store.endSession(2, own?.id ?? 0)).toBe(false);
    await visitor.get('/portal/account');
    expect(visitor.path()).toBe('/portal/account');
    expect(await portal.store.endSession(1, own?.id ?? 0)).toBe(true);
    expect(await portal.store.endSession(1, own?.id ?? 0)).toBe(false);
  });

  it('a form needs the token of its own session, and an origin', async () => {
    const [visitor, other] = [portal.visitor(), portal.visitor()];
    await visitor.signIn();
    await other.signIn();
    const foreign = /name="csrf" value="([^"]*)"/.exec((await other.get('/portal/account')).html)?.[1] ?? '';
    for (const csrf of ['', 'x', foreign]) {
      const refused = await visitor.post('/portal/sign-out', { csrf });
      expect(refused.status).toBe(403);
      expect(refused.words).toContain('The form did not come from this portal, or its session has ended');
    }
    const elsewhere = await visitor.post('/portal/sign-out', {}, { origin: 'https://evil.example' });
    expect(elsewhere.status).toBe(403);
    const forged = await portal.visitor().post('/portal/sign-in', {}, { origin: 'https://evil.example' });
    expect(forged.status).toBe(403);
    await visitor.get('/portal/account');
    expect(visitor.path()).toBe('/portal/account');
  });

  it('only forms of a small size are read', async () => {
    const visitor = portal.visitor();
    expect((await visitor.post('/portal/sign-in', {}, { 'content-type': 'application/json' })).status).toBe(400);
    const large = await visitor.post('/portal/sign-in', { UserName: 'x'.repeat(70_000) });
    expect([large.status, large.words]).toEqual([400, expect.stringContaining('maximum of 65536 bytes')]);
  });

  it('replicas share sessions: one sees at once what another one ends', async () => {
    const address = await databases.create();
    const [first, second] = [await startPortal(address), await startPortal(address)];
    const here = first.visitor();
    await here.signIn();
    const there = second.visitor({ cookie: here.cookie() });
    const { words } = await there.get('/portal/account');
    expect([there.path(), words]).toEqual(['/portal/account', expect.stringContaining('root Sign out')]);
    await there.post('/portal/sign-out');
    await here.get('/portal/account');
    expect(here.path()).toMatch(/^\/portal\/sign-in/);
    await first.stop();
    await second.stop();
  });

  it('the end of one session is in the security log', async () => {
    const own = await startPortal(await databases.create());
    const [here, there] = [own.visitor(), own.visitor()];
    for (const visitor of [there, here]) await visitor.signIn();
    const { html } = await here.get('/portal/account');
    const id = /name="id" value="(\d+)"/.exec(html)?.[1] ?? '';
    for (const _ of ['ends it', 'finds none']) await here.post('/portal/account/end-session', { id });
    await own.platform.stop();
    const events = await own.store.searchAudit({ limit: 100 });
    expect(events.filter(({ action }) => action === 'sessions ended').map(({ changes }) => changes)).toEqual([{}]);
    await own.stop();
  });

  it('sign-in, sign-out and the end of sessions are in the security log', async () => {
    const own = await startPortal(await databases.create());
    const visitor = own.visitor();
    await visitor.signIn('root', 'wrong wrong');
    await visitor.signIn();
    await visitor.post('/portal/sign-out');
    await visitor.signIn();
    await visitor.post('/portal/account/end-sessions', { csrf: 'x' });
    await visitor.get('/portal/account');
    await visitor.post('/portal/account/end-sessions');
    await own.visitor().post('/portal/sign-in', {}, { origin: 'https://evil.example' });
    await own.platform.stop();
    const events = await own.store.searchAudit({ limit: 100 });
    expect(
      events
        .filter(({ isSecurity }) => isSecurity)
        .map(({ action, owner, credential, ip }) => [action, owner, credential, ip]),
    ).toEqual([
      ['sign-in refused', null, 'none', '192.0.2.1'],
      ['sign-in', 1, 'password', '192.0.2.1'],
      ['sign-out', 1, 'session', '192.0.2.1'],
      ['form refused', 1, 'session', '192.0.2.1'],
      ['tokens revoked', 1, 'session', '192.0.2.1'],
      ['form refused', null, 'none', '192.0.2.1'],
      // The second of a minute is counted, and written at the end of that.
      ['sign-in', 1, 'password', '192.0.2.1'],
    ]);
    await own.stop();
  });
});

describe('when something is wrong', () => {
  const databases = useDatabases('sqlite');

  it('too many requests are refused in a page that says when to come again', async () => {
    const settings = { limits: { rate: 1, burst: 5, signIns: 0 } };
    const portal = await startPortal(await databases.create(), { settings });
    const visitor = portal.visitor();
    let last = await visitor.get('/portal/sign-in');
    expect(last.headers.get('ratelimit')).toMatch(/^"address";r=4/);
    for (let more = 0; more < 5; more += 1) last = await visitor.get('/portal/sign-in');
    expect([last.status, last.headers.get('retry-after')]).toEqual([400, '1']);
    expect(last.words).toContain('Too many requests from this address; retry after the time in Retry-After. Code 1102');
    await portal.stop();
  });

  it('requests of a user are limited too, from wherever they come', async () => {
    const settings = { limits: { rate: 1, burst: 20, signIns: 0 } };
    const portal = await startPortal(await databases.create(), { settings });
    const visitor = portal.visitor();
    await visitor.signIn();
    const cookie = visitor.cookie();
    let last = await visitor.get('/portal/account');
    for (let from = 1; from <= 25; from += 1)
      last = await portal.visitor({ cookie }, `192.0.2.${from}`).get('/portal/account');
    expect([last.status, last.words]).toEqual([400, expect.stringContaining('Too many requests with this credential')]);
    await portal.stop();
  });

  it('a database that does not answer is said in a page, which no cache keeps', async () => {
    const portal = await startPortal(await databases.create(), {}, { isDatabaseDown: true });
    const answer = await portal.visitor().get('/portal/sign-in');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([500, 'no-store']);
    expect(answer.words).toContain('The database failed; try again later. Code 1106');
    const forged = await portal.visitor().post('/portal/sign-in', {}, { origin: 'https://evil.example' });
    expect([forged.status, forged.headers.get('cache-control')]).toEqual([403, 'no-store']);
    await portal.stop();
  });
});

describe('the cookie over TLS', () => {
  const databases = useDatabases('sqlite');
  const NAME = /^__Host-subnetd=[\w-]{27}; Path=\/; HttpOnly; Secure; SameSite=Lax$/;

  it('has the prefix that browsers take over TLS only, also behind a proxy that says so', async () => {
    const direct = await startPortal(await databases.create(), { isSecure: () => true });
    const visitor = direct.visitor();
    await visitor.signIn();
    expect(visitor.setCookie()).toMatch(NAME);
    expect(visitor.path()).toMatch(INSIDE);
    await direct.stop();

    const parsed = parseTrustedProxies('192.0.2.0/24');
    if (!parsed.ok) throw new Error('unreachable');
    const behind = await startPortal(await databases.create(), { settings: { trustedProxies: parsed.proxies } });
    const [secure, plain] = [behind.visitor({ 'x-forwarded-proto': 'https' }), behind.visitor()];
    await secure.signIn();
    await plain.signIn();
    expect(secure.setCookie()).toMatch(NAME);
    expect(plain.setCookie()).toMatch(/^subnetd-session=/);
    await behind.stop();

    const open = await startPortal(await databases.create());
    const liar = open.visitor({ 'x-forwarded-proto': 'https' });
    await liar.signIn();
    expect(liar.setCookie()).toMatch(/^subnetd-session=/);
    await open.stop();
  });
});
