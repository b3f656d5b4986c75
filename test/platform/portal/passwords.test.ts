import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminUser } from '../../../src/platform/api/resources.ts';
import { ROOT_PASSWORD } from '../../support/api.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { startMailServer, type TestMailServer } from '../../support/mail-server.ts';
import { startPortal, type TestPortal } from '../../support/portal.ts';
import { useDatabases } from '../../support/use-api.ts';
import { MAILED_URL } from '../../support/use-mailed-api.ts';

const MINUTE = 60_000;
/** A page that needs a sign-in. */
const INSIDE = /^\/portal\/(?!sign-in)/;
const SENT = 'If an active admin user has that address, a mail with a link has been sent.';

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  let server: TestMailServer;
  let portal: TestPortal;
  let password = ROOT_PASSWORD;
  beforeAll(async () => {
    server = await startMailServer();
    const { port } = server;
    const mail = {
      server: { host: '127.0.0.1', port, isTls: false },
      from: 'subnetd@example.com',
      publicUrl: MAILED_URL,
    };
    portal = await startPortal(await databases.create(), { settings: { mail } });
  }, 60_000);
  afterAll(async () => {
    await portal.stop();
    await server.stop();
  });

  const mailsTo = (address: string, subject: string) =>
    server.mails.filter(({ to, headers }) => to[0] === address && headers.subject === `subnetd: ${subject}`);
  /** The path of the link in the next mail to an address, once `ask` has been answered. */
  const linkOf = async (address: string, subject: string, ask: () => Promise<unknown>): Promise<string> => {
    const before = mailsTo(address, subject).length;
    await ask();
    await expect.poll(() => mailsTo(address, subject).length, { interval: 10 }).toBe(before + 1);
    const [, path = ''] =
      /https:\/\/subnetd\.example\.com(\/portal\/\S+)/.exec(mailsTo(address, subject).at(-1)?.text ?? '') ?? [];
    return path;
  };
  const forget = async (EmailID: string) => {
    const visitor = portal.visitor();
    await visitor.get('/portal/forgotten');
    return visitor.post('/portal/forgotten', { EmailID });
  };
  const tokenOf = (path: string) => new URL(path, MAILED_URL).searchParams.get('token') ?? '';

  it('a user changes the own password, after which every session has ended', async () => {
    const [visitor, other] = [portal.visitor(), portal.visitor()];
    await visitor.signIn();
    await other.signIn();
    await visitor.get('/portal/account');
    const wrong = await visitor.post('/portal/account/password', {
      Password: 'not mine',
      NewPassword: 'a new sentence',
    });
    expect(wrong.status).toBe(400);
    expect(wrong.html).toMatch(
      /id="password-Password-error">Current password is wrong; send the current password of your account\. <a href="\/docs\/codes#code-1118">/,
    );
    const short = await visitor.post('/portal/account/password', { Password: password, NewPassword: 'short' });
    expect(short.html).toMatch(/id="password-NewPassword-error">New password is below the minimum of 8 characters\./);
    expect(short.html).not.toContain(password);
    const changed = await visitor.post('/portal/account/password', {
      Password: password,
      NewPassword: 'a new sentence',
    });
    expect(changed.words).toContain('Your password was changed, and every session has ended.');
    expect([visitor.cookie(), visitor.path()]).toEqual(['', '/portal/sign-in?done=password-changed']);
    await other.get('/portal/account');
    expect(other.path()).toMatch(/^\/portal\/sign-in/);
    expect((await visitor.signIn()).status).toBe(403);
    password = 'a new sentence';
    await visitor.signIn('root', password);
    expect(visitor.path()).toMatch(INSIDE);
    await expect.poll(() => mailsTo('r@example.com', 'Your password was changed').length, { interval: 10 }).toBe(1);
  });

  it('a forgotten password is set by a mailed link, which works once and signs nobody in', async () => {
    const [signedIn, visitor] = [portal.visitor(), portal.visitor()];
    await signedIn.signIn('root', password);
    const path = await linkOf('r@example.com', 'Choose a new password', () => forget('R@example.com'));
    const opened = await visitor.get(path);
    expect([opened.status, opened.words]).toEqual([200, expect.stringContaining('Choose a new password New password')]);
    const token = tokenOf(path);
    const short = await visitor.post('/portal/reset', { ResetToken: token, Password: 'short' });
    expect(short.html).toMatch(/id="link-Password-error">New password is below the minimum of 8 characters\./);
    expect(short.html).toContain(`name="ResetToken" value="${token}"`);
    const done = await visitor.post('/portal/reset', { ResetToken: token, Password: 'the third sentence' });
    expect([visitor.path(), visitor.cookie()]).toEqual(['/portal/sign-in?done=password-changed', '']);
    expect(done.html).not.toContain(token);
    const again = await visitor.post('/portal/reset', { ResetToken: token, Password: 'the fourth sentence' });
    expect([again.status, again.words]).toEqual([404, expect.stringContaining('Ask for a new one')]);
    expect(again.words).toContain(
      'The link has expired, was used before, or is not complete; ask for a new one. Code 1112',
    );
    await signedIn.get('/portal/account');
    expect(signedIn.path()).toMatch(/^\/portal\/sign-in/);
    password = 'the third sentence';
    await visitor.signIn('root', password);
    expect(visitor.path()).toMatch(INSIDE);
  });

  it('whoever asks for a link learns nothing of who has an account', async () => {
    const [known, unknown] = [await forget('r@example.com'), await forget('nobody@example.com')];
    expect(known.words).toContain(SENT);
    expect(unknown.html.replaceAll(/datetime="[^"]*"|title="[^"]*UTC"/g, '')).toBe(
      known.html.replaceAll(/datetime="[^"]*"|title="[^"]*UTC"/g, ''),
    );
    // Also for somebody who is signed in, and could ask the API.
    const visitor = portal.visitor();
    await visitor.signIn('root', password);
    expect((await visitor.post('/portal/forgotten', { EmailID: 'nobody@example.com' })).words).toContain(SENT);
    const none = await forget('no address');
    expect([none.status, none.html]).toEqual([409, expect.stringContaining('id="forgotten-EmailID-error"')]);
    expect((await portal.visitor().get('/portal/reset')).status).toBe(200);
    const empty = await portal.visitor().post('/portal/reset', { Password: 'a good sentence' });
    expect([empty.status, empty.words]).toEqual([400, expect.stringContaining('ResetToken is missing; send it.')]);
  });

  it('an admin has a link mailed to another user, and does not see it', async () => {
    const visitor = portal.visitor();
    await visitor.signIn('root', password);
    await visitor.get('/portal/users/add');
    const person = { FirstName: 'Ada', LastName: 'L', UserName: 'ada', EmailID: 'ada@example.com', IsActive: 'true' };
    await visitor.post('/portal/users/add', { ...person, Password: 'analytical engine' });
    const { items } = await portal.store.search(adminUser, { search: 'ada', offset: 0, limit: 1 });
    const user = `/portal/users/${items[0]?.UserID}`;
    let page = await visitor.get(user);
    expect(page.words).toContain('Send a password reset link');
    const path = await linkOf('ada@example.com', 'Choose a new password', async () => {
      page = await visitor.post(`${user}/send-link`);
    });
    expect(page.words).toContain('A mail with a password reset link is on its way.');
    expect(page.html).not.toContain(tokenOf(path));
    portal.wait(11 * MINUTE);
    const late = await portal
      .visitor()
      .post('/portal/reset', { ResetToken: tokenOf(path), Password: 'a good sentence' });
    expect([late.status, late.words]).toEqual([404, expect.stringContaining('Code 1112')]);
  });

  it('the old address hears of a new one, by an admin or by the user', async () => {
    const visitor = portal.visitor();
    await visitor.signIn('root', password);
    await visitor.get('/portal/users/add');
    const person = { FirstName: 'Flo', LastName: 'L', UserName: 'flo', IsActive: 'true' };
    const added = { ...person, EmailID: 'flo@example.com', Password: 'analytical engine' };
    const { html } = await visitor.post('/portal/users/add', added);
    const [, seen = ''] = /name="seen" value="&quot;([^&]+)&quot;"/.exec(html) ?? [];
    const moved = { ...person, EmailID: 'flo@example.org', seen: `"${seen}"` };
    await visitor.post(visitor.path().replace(/\?.*/, ''), moved);
    const flo = portal.visitor();
    await flo.signIn('flo', 'analytical engine');
    await flo.get('/portal/account');
    await flo.post('/portal/account/profile', { ...person, EmailID: 'flo@example.net' });
    const textTo = (address: string) => mailsTo(address, 'Your e-mail address was changed').map(({ text }) => text);
    await expect.poll(() => textTo('flo@example.org').length, { interval: 10 }).toBe(1);
    expect(textTo('flo@example.com')).toEqual([
      expect.stringMatching(/was changed to f…@example\.org at [-\d: ]+ UTC by admin user root \(session\)\./),
    ]);
    expect(textTo('flo@example.org')).toEqual([
      expect.stringMatching(/was changed to f…@example\.net at [-\d: ]+ UTC by admin user flo \(session\)\./),
    ]);
    expect(mailsTo('flo@example.net', 'Your e-mail address was changed')).toEqual([]);
  });

  it('an admin user without a password is invited, and chooses it by a mailed link', async () => {
    const visitor = portal.visitor();
    await visitor.signIn('root', password);
    const { words } = await visitor.get('/portal/users/add');
    expect(words).toContain('Password (optional) Leave it empty to mail the user a link to choose one.');
    const person = { FirstName: 'Eve', LastName: 'S', UserName: 'eve', EmailID: 'eve@example.com', IsActive: 'true' };
    const path = await linkOf('eve@example.com', 'Activate your account', () =>
      visitor.post('/portal/users/add', { ...person, Password: '' }),
    );
    const user = visitor.path().replace(/\?.*/, '');
    const page = await visitor.get(user);
    expect(page.words).toContain('Active: no');
    expect(page.words).toContain('Send an activation link');
    const eve = portal.visitor();
    await eve.signIn('eve', '');
    expect(eve.cookie()).toBe('');
    expect((await eve.get(path)).words).toContain('Activate your account New password');
    const active = await eve.post('/portal/activate', { ActivationToken: tokenOf(path), Password: 'all about eve' });
    expect(active.words).toContain('Your account is active. Sign in with your new password.');
    const again = await eve.post('/portal/activate', { ActivationToken: tokenOf(path), Password: 'all about eve' });
    expect([again.status, again.words]).toEqual([400, expect.stringContaining('Code 1120')]);
    await eve.signIn('eve', 'all about eve');
    expect(eve.path()).toMatch(INSIDE);
    await visitor.get(user);
    const late = await visitor.post(`${user}/send-activation`);
    expect([late.status, late.words]).toEqual([409, expect.stringContaining('that admin user is already active')]);
    await visitor.get('/portal/users/add');
    const taken = await visitor.post('/portal/users/add', { ...person, Password: '' });
    expect([taken.status, taken.words]).toEqual([409, expect.stringContaining('Code 1103')]);
  });
});

describe('without a mail server', () => {
  const databases = useDatabases('sqlite');

  it('the portal says what is missing, and how a password is set all the same', async () => {
    const portal = await startPortal(await databases.create());
    const visitor = portal.visitor();
    const asked = await visitor.post('/portal/forgotten', { EmailID: 'r@example.com' });
    expect([asked.status, asked.words]).toEqual([500, expect.stringContaining('Code 1110')]);
    expect(asked.words).toContain('ask its operator to set SUBNETD_SMTP_URL, or to run subnetd admin reset-password');
    await visitor.signIn();
    const { words } = await visitor.get('/portal/users/1');
    expect(words).toContain('subnetd admin reset-password root prints a link for a new password.');
    expect(words).not.toContain('Send a password reset link');
    await visitor.get('/portal/users/add');
    const person = { FirstName: 'Eve', LastName: 'S', UserName: 'eve', EmailID: 'eve@example.com', IsActive: 'true' };
    const added = await visitor.post('/portal/users/add', { ...person, Password: '' });
    expect(added.words).toContain('Password is empty; give it a value.');
    await portal.stop();
  });
});
