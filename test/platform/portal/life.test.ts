import { Secret as CodeSecret, TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT_PASSWORD } from '../../support/api.ts';
import { launchChromium } from '../../support/chromium.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import {
  AUDIT_LOG,
  LAPTOP,
  mailTexts,
  OFFICE,
  PHONE,
  PROGRAM,
  SECURITY_LOG,
  TERMINAL,
  TRAIL,
} from '../../support/life-texts.ts';
import { type PortalLife, type Secret, startPortalLife } from '../../support/portal-life.ts';
import { alertOf, noteOf, press, rowsOf, signIn, TIMES, wordsOf } from '../../support/portal-page.ts';

const FIRST = 'a-good-long-sentence';
const SECOND = 'an-even-better-sentence';
const PERIOD_MS = 30_000;

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  let life: PortalLife;
  let root: Page;
  let phone: Page;
  let laptop: Page;
  const secrets: Secret[] = [];
  const keep = (what: string, text: string, shownAt: readonly string[] = [], mailedAs: readonly string[] = []) => {
    secrets.push({ what, text, shownAt, mailedAs });
    return text;
  };
  let app: TOTP;
  let step = 0;
  /** A code that the app shows now or next, and that was not used before. */
  const newCode = () => {
    step = Math.max(step + 1, Math.floor(Date.now() / PERIOD_MS));
    return app.generate({ timestamp: step * PERIOD_MS });
  };
  let recoveryCodes: readonly string[] = [];
  /** The old key, which was rotated and is still valid. */
  let oldKey = '';
  /** Is asked to sign in by each replica. */
  const expectSignedOut = async (page: Page) => {
    for (const _ of life.daemons) {
      await page.goto('/portal/account');
      expect(await page.title()).toBe('Sign in, portal (subnetd)');
    }
  };
  const all = (code: number) => life.daemons.map(() => code);

  beforeAll(async () => {
    life = await startPortalLife(kind, browser);
    root = await life.open(OFFICE, { javaScriptEnabled: false });
    phone = await life.open(PHONE);
    laptop = await life.open(LAPTOP);
    keep('the password of root', ROOT_PASSWORD);
    keep('the first password', FIRST);
    keep('the second password', SECOND);
  }, 60_000);
  afterAll(() => life?.stop());

  it('an admin invites a user, who chooses a password by the link in the mail', async () => {
    await signIn(root, 'root', ROOT_PASSWORD);
    await root.getByRole('link', { name: 'Admin users' }).click();
    await root.getByRole('link', { name: 'Add an admin user' }).click();
    await root.getByLabel('First name').fill('Grace');
    await root.getByLabel('Last name').fill('Hopper');
    await root.getByLabel('User name').fill('grace');
    await root.getByLabel('E-mail').fill('grace@example.com');
    await press(root, 'Add');
    expect(await noteOf(root)).toBe('The admin user was added.');

    const { text, html, to, token: linkToken = '' } = await life.mailOf('Activate your account');
    const { url } = life.balancer;
    const link = `${url}/portal/activate?token=${linkToken}`;
    expect(to).toEqual(['grace@example.com']);
    expect(text).toBe(mailTexts(url, link).activation);
    const at = ['GET', 'GET', 'POST'].map((method) => `${method} /portal/activate`);
    keep('the link that activates', linkToken, at, ['Activate your account']);
    // What opens links in mails to check them uses nothing up.
    await laptop.goto(link);
    await phone.setContent(html);
    await phone.getByRole('link', { name: 'Activate your account' }).click();
    await phone.getByLabel('New password').fill('short');
    await press(phone, 'Activate');
    expect(await alertOf(phone)).toBe('New password is below the minimum of 8 characters.');
    await phone.getByLabel('New password').fill(FIRST);
    await press(phone, 'Activate');
    expect(await noteOf(phone)).toBe('Your account is active. Sign in with your new password.');
  });

  it('the user signs in, and turns one-time codes on with the secret that is shown', async () => {
    await signIn(phone, 'grace', FIRST);
    await phone.getByRole('link', { name: 'Your account' }).click();
    await phone.locator('#codes-enrol-Password').fill(FIRST);
    await press(phone, 'Turn codes on');
    const secret = await phone.locator('.cmd code').innerText();
    keep('the secret of the app', secret, ['POST /portal/account/codes-enrol']);
    app = new TOTP({ secret: CodeSecret.fromBase32(secret) });
    await phone.getByLabel('One-time code').fill(newCode());
    await press(phone, 'Confirm');
    recoveryCodes = await wordsOf(phone, 'section li code');
    expect(recoveryCodes).toHaveLength(10);
    for (const code of recoveryCodes) keep('a recovery code', code, ['POST /portal/account/codes-confirm']);
    await phone.getByRole('link', { name: 'Back to your account' }).click();
    expect(await phone.getByText('recovery codes are left').innerText()).toBe(
      'Signing in requires a code from your app, or a recovery code. 10 recovery codes are left.',
    );
  });

  it('a key is copied once, works at each replica, is rotated and revoked, and shows its last use', async () => {
    await phone.getByRole('link', { name: 'API keys' }).click();
    await phone.getByLabel('Name').fill('nightly export');
    await phone.getByRole('checkbox', { name: 'read' }).check();
    await press(phone, 'Create key');
    await press(phone, 'Copy key');
    await phone.getByText('Copied').waitFor();
    oldKey = keep('the first key', await phone.evaluate('navigator.clipboard.readText()'), ['POST /portal/keys/add']);
    expect(oldKey).toMatch(/^subnetd_[\w-]{43}$/);
    expect(await life.codesOf({ apiKey: oldKey }, PROGRAM)).toEqual(all(0));

    await phone.getByRole('link', { name: 'API keys' }).click();
    const lastUse = async () => {
      await phone.reload();
      return wordsOf(phone, 'tbody td[data-l="Last used"]');
    };
    await expect
      .poll(lastUse, { interval: 50 })
      .toEqual([expect.stringMatching(new RegExp(`^\\d+ s ago ${PROGRAM}$`))]);

    await phone.getByRole('link', { name: 'Rotate nightly export' }).click();
    await phone.getByLabel('The old key stays valid').selectOption('for 1 hour');
    await press(phone, 'Rotate key');
    const newKey = keep('the second key', await phone.locator('.cmd code').first().innerText(), [
      'POST /portal/keys/1/rotate',
    ]);
    const keyToken = keep('the token of the second key', await life.makeToken({ apiKey: newKey }, TERMINAL));
    const codesOfKeys = async () => ({
      old: await life.codesOf({ apiKey: oldKey }, PROGRAM),
      new: await life.codesOf({ apiKey: newKey }, PROGRAM),
      token: await life.codesOf({ token: keyToken }, PROGRAM),
    });
    expect(await codesOfKeys()).toEqual({ old: all(0), new: all(0), token: all(0) });

    await phone.goto('/portal/keys/2');
    await press(phone, 'Revoke key');
    expect(await noteOf(phone)).toBe('The key was revoked.');
    expect(await codesOfKeys()).toEqual({ old: all(0), new: all(1123), token: all(1104) });
    expect(await rowsOf(phone)).toEqual([
      `nightly export ${oldKey.slice(0, 12)}… rotated read TIME ${PROGRAM} N of 200 TIME Revoke nightly export`,
      `nightly export ${newKey.slice(0, 12)}… revoked TIME grace`,
    ]);
  });

  it('a forgotten password is set by the mailed link, which works once and ends sessions and tokens everywhere', async () => {
    const credential = { UserName: 'grace', Password: FIRST, Otp: recoveryCodes[0] ?? '' };
    const token = keep('the token of grace', await life.makeToken(credential, TERMINAL));
    expect(await life.codesOf({ token }, PROGRAM)).toEqual(all(0));

    await laptop.goto('/portal');
    await laptop.getByRole('link', { name: 'Forgot your password?' }).click();
    const answers: string[] = [];
    for (const address of ['nobody@example.com', 'Grace@example.com']) {
      await laptop.getByLabel('E-mail').fill(address);
      await press(laptop, 'Send a link');
      answers.push(await laptop.locator('main').innerText());
    }
    expect(answers[0]).toContain(
      'If an active admin user has that address, a mail with a link has been sent. The link works once, for 10 minutes.',
    );
    expect(answers[1]).toBe(answers[0]);

    const { text, token: linkToken = '' } = await life.mailOf('Choose a new password');
    const { url } = life.balancer;
    const link = `${url}/portal/reset?token=${linkToken}`;
    expect(text).toBe(mailTexts(url, link).reset);
    const at = ['GET', 'GET', 'POST'].map((method) => `${method} /portal/reset`);
    keep('the link for a new password', linkToken, at, ['Choose a new password']);
    await laptop.goto(link);
    await laptop.getByLabel('New password').fill(SECOND);
    await press(laptop, 'Set password');
    expect(await noteOf(laptop)).toBe(
      'Your password was changed, and every session has ended. Sign in with the new one.',
    );
    await laptop.goto(link);
    await laptop.getByLabel('New password').fill(SECOND);
    await press(laptop, 'Set password');
    expect(await alertOf(laptop)).toBe(
      'The link has expired, was used before, or is not complete; ask for a new one. Code 1112',
    );

    await expectSignedOut(phone);
    expect(await life.codesOf({ token }, PROGRAM)).toEqual(all(1104));
    // Notes are sent every few seconds, so both are read here.
    const codesOn = await life.mailOf('One-time codes are on');
    expect(codesOn.text.replace(TIMES, 'TIME')).toBe(mailTexts(url).codesOn);
    const changed = await life.mailOf('Your password was changed');
    expect(changed.text.replace(TIMES, 'TIME')).toBe(mailTexts(url).passwordChanged);
  });

  it('the user signs in with the new password and a code, and signs out everywhere', async () => {
    await signIn(phone, 'grace', FIRST, newCode());
    expect(await alertOf(phone)).toBe('Wrong user name or password, or the user is inactive. Code 1104');
    step -= 1;
    await signIn(phone, 'grace', SECOND);
    expect(await alertOf(phone)).toBe('One-time code is missing; this account needs a one-time code.');
    await signIn(phone, 'grace', SECOND, newCode());
    await signIn(laptop, 'grace', SECOND, recoveryCodes[9] ?? '');
    await laptop.getByRole('link', { name: 'Your account' }).click();
    await laptop.getByRole('button', { name: 'Sign out everywhere' }).waitFor();
    expect(await rowsOf(laptop)).toEqual([
      `Chrome on Linux this one ${LAPTOP} TIME TIME`,
      `Chrome on Linux End the session of Chrome on Linux ${PHONE} TIME TIME`,
    ]);
    await press(laptop, 'Sign out everywhere');
    expect(await noteOf(laptop)).toBe('You are signed out in every browser, and your tokens have ended.');
    await expectSignedOut(phone);
    await expectSignedOut(laptop);
    await signIn(laptop, 'grace', SECOND, recoveryCodes[3] ?? '');
  });

  it('the admin sees who did what, and deactivates the user', async () => {
    await root.getByRole('link', { name: 'Admin users' }).click();
    await root.getByRole('link', { name: 'grace' }).click();
    expect(await rowsOf(root)).toEqual(TRAIL);
    await root.getByRole('link', { name: 'Audit log' }).click();
    expect(await rowsOf(root)).toEqual(AUDIT_LOG);
    await root.getByRole('link', { name: 'Security log' }).click();
    const events = async () => {
      await root.reload();
      // Each replica counts what is repeated within a minute, so how often and in which order differs.
      return [...new Set(await rowsOf(root))].sort();
    };
    await expect.poll(events, { interval: 100 }).toEqual(SECURITY_LOG);
    await root.goto('/portal/users/2');
    await root.getByLabel('Active IsActive', { exact: true }).uncheck();
    await press(root, 'Save');
    expect(await noteOf(root)).toBe('The admin user was saved.');
    await expectSignedOut(laptop);
    expect(await life.codesOf({ apiKey: oldKey }, PROGRAM)).toEqual(all(1123));
    await signIn(laptop, 'grace', SECOND, recoveryCodes[5] ?? '');
    expect(await alertOf(laptop)).toBe('Wrong user name or password, or the user is inactive. Code 1104');
    expect(life.blocked).toEqual([]);
  });

  it('no answer, mail, log line or row holds a secret, but where it is shown', async () => {
    const { answers } = life.balancer;
    for (const { headers } of answers) {
      const session = /__Host-subnetd=([\w-]{27});/.exec(headers['set-cookie'] ?? '')?.[1];
      if (session !== undefined) keep('a session', session);
    }
    const rows = await life.dump();
    await Promise.all(life.daemons.map(({ end }) => end()));
    const log = life.daemons.map(({ output }) => output()).join('');
    const formsOf = (text: string) => [text, encodeURIComponent(text), text.replaceAll(' ', '+')];
    const holds = (text: string, secret: string) => formsOf(secret).some((form) => text.includes(form));
    const found = secrets.map(({ what, text }) => ({
      what,
      text,
      shownAt: answers.filter(({ body }) => holds(body, text)).map(({ request }) => request),
      mailedAs: life.mails
        .filter((mail) => holds(`${mail.text}${mail.html}`, text))
        .map(({ headers }) => headers.subject?.replace('subnetd: ', '')),
      isLogged: holds(log, text),
      isStored: holds(rows, text),
    }));
    expect(found).toEqual(secrets.map((secret) => ({ ...secret, isLogged: false, isStored: false })));
    // Could it fail? These are where they are looked for.
    expect([rows, log].map((text) => text.includes('grace') || text.includes('an admin user signed in'))).toEqual([
      true,
      true,
    ]);
    expect(secrets.filter(({ what }) => what === 'a session')).toHaveLength(5);
    expect(secrets.every(({ text }) => text.length > 8)).toBe(true);
    expect(life.mails).toHaveLength(4);
  });
});
