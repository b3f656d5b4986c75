import { writeFileSync } from 'node:fs';
import { Secret, TOTP } from 'otpauth';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { otherRoutes, sections } from '../../../src/platform/portal/sections.ts';
import type { PortalRoute } from '../../../src/platform/portal/visit.ts';
import { ROOT_PASSWORD } from '../../support/api.ts';
import { type ApiDaemon, startApiDaemon } from '../../support/api-daemon.ts';
import { auditPage, expectKeyboardReaches } from '../../support/audit-page.ts';
import { launchChromium } from '../../support/chromium.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { printOf } from '../../support/run-command.ts';

let folder: ReturnType<typeof temporaryFolder>;
let environment: Readonly<Record<string, string>>;
let daemon: ApiDaemon;
let browser: Browser;
/** A browser without scripts, in which the tests work one after the other. */
let plain: BrowserContext;
let page: Page;
/** How many names were given, so that a test that is tried again gives others. */
let given = 0;
const unique = (name: string): string => {
  given += 1;
  return `${name} ${given}`;
};
/** What the browser says of the content security policy. */
const blocked: string[] = [];
/** What says that the browser refused something by the content security policy is kept. */
const watch = (watched: Page) =>
  watched.on('console', (said) => void (/Content.Security.Policy/i.test(said.text()) && blocked.push(said.text())));

/** Creates an admin user with the password of root. */
async function createUser(name: string): Promise<void> {
  const names = ['--user-name', name, '--first-name', 'R', '--last-name', 'T', '--email', `${name}@example.com`];
  await printOf(['admin', 'create', ...names, '--password-file', folder.path('password')], environment);
}

/** Signs in afresh, in the browser that has this page. */
async function signIn(visitor: Page, name = 'root'): Promise<void> {
  await visitor.context().clearCookies();
  await visitor.goto(`${daemon.url}/portal/sign-in`);
  await visitor.getByLabel('User name').fill(name);
  await visitor.getByLabel('Password').fill(ROOT_PASSWORD);
  await visitor.getByRole('button', { name: 'Sign in' }).click();
  await visitor.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
}

beforeAll(async () => {
  folder = temporaryFolder();
  environment = {
    // The pages are those of a subnetd that sends mails; none is sent here.
    SUBNETD_SMTP_URL: 'smtp://127.0.0.1:1',
    SUBNETD_MAIL_FROM: 'subnetd@example.com',
    SUBNETD_PUBLIC_URL: 'https://subnetd.example.com',
    SUBNETD_DATABASE_URL: `sqlite:${folder.path('subnetd.db')}`,
    // All of these tests come from one address.
    SUBNETD_SIGNIN_LIMIT: '100',
  };
  writeFileSync(folder.path('password'), ROOT_PASSWORD);
  await createUser('root');
  [daemon, browser] = await Promise.all([startApiDaemon(environment), launchChromium()]);
  plain = await browser.newContext({ javaScriptEnabled: false });
  page = await plain.newPage();
  watch(page);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await daemon?.end();
  folder.remove();
});

const press = async (...keys: readonly string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

test('the keyboard alone signs in, from the skip link on, and a refusal leads to its field', async () => {
  await plain.clearCookies();
  await page.goto(`${daemon.url}/portal`);
  expect(page.url()).toContain('/portal/sign-in');
  await press('Tab');
  expect(await page.locator(':focus').textContent()).toBe('Skip to the content');
  await press('Enter', 'Tab');
  await page.keyboard.type('root');
  await press('Tab', 'Enter');
  await page.getByRole('alert').waitFor();
  expect(await page.title()).toBe('Error: Sign in, portal (subnetd)');
  await page.getByRole('alert').getByRole('link').press('Enter');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type(ROOT_PASSWORD);
  await press('Enter');
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
  const cookies = await plain.cookies();
  expect(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])).toEqual([
    ['subnetd-session', true, 'Lax'],
  ]);
});

test('a key is made, copied, rotated and revoked, and no page but the first shows it', async () => {
  const name = unique('nightly export');
  await page.goto(`${daemon.url}/portal/keys`);
  await page.getByLabel('Name').fill(name);
  await page.getByRole('checkbox', { name: 'read' }).check();
  await page.getByRole('button', { name: 'Create key' }).click();
  const made = page.getByRole('region', { name: `Key “${name}” was created` });
  const key = (await made.locator('code').first().textContent()) ?? '';
  const statusOf = async () => (await fetch(`${daemon.url}/api/Sector/ListAll/0?apiKey=${key}`)).status;
  expect([key, await statusOf()]).toEqual([expect.stringMatching(/^subnetd_[\w-]{43}$/), 200]);
  await page.getByRole('link', { name: 'API keys' }).click();
  expect(await page.content()).not.toContain(key);
  await page.getByRole('link', { name: `Rotate ${name}` }).click();
  await page.getByLabel('The old key stays valid').selectOption('for 1 hour');
  await page.getByRole('button', { name: 'Rotate key' }).click();
  const next =
    (await page
      .getByRole('region', { name: /replaces key/ })
      .locator('code')
      .first()
      .textContent()) ?? '';
  expect([next === key, await statusOf()]).toEqual([false, 200]);
  await page
    .getByRole('link', { name: `Revoke ${name}` })
    .first()
    .click();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('The key was revoked.').waitFor();
  expect(await statusOf()).toBe(400);
});

test('an industry is added and changed without a script, with the error beside its field', async () => {
  const name = unique('Shipping');
  await page.goto(`${daemon.url}/portal`);
  await page.getByRole('link', { name: 'Industries' }).click();
  await page.getByRole('link', { name: 'Add an industry' }).click();
  await page.getByLabel('Industry name').fill(name);
  await page.getByLabel('Image path').fill('/etc/passwd');
  await page.getByRole('button', { name: 'Add' }).click();
  expect(await page.locator('#record-ImagePath-error').textContent()).toMatch(/^Image path must be a relative path/);
  await page.getByLabel('Image path').fill('images/a.png');
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByText('The industry was added.').waitFor();
  await page.getByLabel('Deleted').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The industry was saved.').waitFor();
  expect(await page.getByLabel('Deleted').isChecked()).toBe(true);
  await page.getByRole('link', { name: 'Industries' }).click();
  await page.getByLabel('State').selectOption('deleted');
  await page.getByRole('button', { name: 'Show' }).click();
  expect(await page.locator('tbody th').allTextContents()).toContain(name);
});

/** The addresses of the pages of some routes, of the record with the id 1. */
const pathsOf = (routes: readonly PortalRoute[]): readonly string[] =>
  routes.filter(({ method }) => method === 'GET').map(({ path }) => path.replace(/:id\{[^}]*\}/, '1'));

/** Adds what is missing for a record with the id 1 in each section, with a name as long as it may be, without a place to break. */
async function addRecords(): Promise<void> {
  const long = unique('').trim().padStart(200, 'W');
  const send = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${daemon.url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { readonly data: { readonly token: string } }).data.token;
  };
  const token = await send('/Auth/Token', { UserName: 'root', Password: ROOT_PASSWORD });
  const more = { token, ImagePath: 'images/a.png', IsDeleted: false, CreateBy: 1 };
  await send('/ProjectType/Add', { ...more, ContractName: long });
  await send('/Industry/Add', { ...more, IndustryName: long });
  await send('/Sector/Add', { ...more, SkillName: unique('Barter'), IndustryName: long });
}

/** Opens a page and expects all that is the same for each: nobody keeps it, axe finds nothing, the keyboard gets everywhere. */
async function check(audited: Page, path: string): Promise<void> {
  const answer = await audited.request.get(`${daemon.url}${path}`);
  const { 'content-type': type, 'cache-control': cache, 'content-security-policy': policy } = answer.headers();
  expect([path, answer.status(), cache]).toEqual([path, 200, 'no-store']);
  if (!type?.startsWith('text/html')) return;
  expect(policy).toContain("default-src 'none'");
  await audited.goto(`${daemon.url}${path}`);
  await auditPage(audited);
  await expectKeyboardReaches(audited);
}

test('a key without a scope, and the check of a file with a row of each kind, pass axe and fit a phone', async () => {
  const context = await browser.newContext();
  await context.addCookies(await plain.cookies());
  const audited = await context.newPage();
  watch(audited);
  await audited.goto(`${daemon.url}/portal/keys`);
  await audited.locator('#new-Name').fill('nothing');
  await audited.getByRole('button', { name: 'Create key' }).click();
  await audited.getByRole('alert').getByRole('link', { name: 'Choose at least one scope.' }).click();
  expect(await audited.locator(':focus').getAttribute('id')).toBe('new-Scopes');
  await auditPage(audited);
  await audited.goto(`${daemon.url}/portal/project-types/import`);
  const loan = unique('Loan');
  const csv = `ContractName\n${unique('').trim().padStart(200, 'V')}\n${loan}\n${loan}\n`;
  const file = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
  await audited.getByLabel('CSV file').setInputFiles(file);
  await audited.getByRole('button', { name: 'Check the file' }).click();
  await audited.getByRole('heading', { name: '2 to add, 1 refused' }).waitFor();
  await auditPage(audited);
  await audited.getByRole('button', { name: 'Import 2 rows' }).click();
  await audited.getByText('2 added, 1 refused.').waitFor();
  await auditPage(audited);
  await context.close();
}, 120_000);

test('each page passes axe in dark and light, fits a phone, and is there for the keyboard, under its policy', async () => {
  await addRecords();
  const context = await browser.newContext();
  await context.addCookies(await plain.cookies());
  const audited = await context.newPage();
  watch(audited);
  const paths = sections.flatMap(({ routes }) => pathsOf(routes));
  expect(paths).toContain('/portal/sectors/1');
  for (const path of [...paths, '/portal/industries?search=x', '/portal/audit-log?Action=add'])
    await check(audited, path);
  await audited.goto(`${daemon.url}/portal/industries/add`);
  await audited.getByRole('button', { name: 'Add' }).click();
  await audited.getByRole('alert').waitFor();
  await auditPage(audited);
  await context.clearCookies();
  for (const path of pathsOf(otherRoutes)) if (path !== '/images/:name') await check(audited, path);
  await context.close();
  expect(blocked).toEqual([]);
}, 240_000);

test('one-time codes pass axe: their QR code, the recovery codes, and the account with codes on', async () => {
  const name = unique('codes').replace(' ', '');
  await createUser(name);
  const context = await browser.newContext();
  const audited = await context.newPage();
  watch(audited);
  await signIn(audited, name);
  await audited.goto(`${daemon.url}/portal/account`);
  await audited.locator('#codes-enrol-Password').fill(ROOT_PASSWORD);
  await audited.getByRole('button', { name: 'Turn codes on' }).click();
  await audited.getByRole('img', { name: 'QR code for the app' }).waitFor();
  await auditPage(audited);
  const secret = (await audited.locator('.cmd code').textContent()) ?? '';
  await audited.getByLabel('One-time code').fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate());
  await audited.getByRole('button', { name: 'Confirm' }).click();
  await audited.getByRole('heading', { name: 'One-time codes are on' }).waitFor();
  await auditPage(audited);
  await audited.getByRole('link', { name: 'Back to your account' }).click();
  await audited.getByText('10 recovery codes are left.').waitFor();
  await auditPage(audited);
  await context.close();
  expect(blocked).toEqual([]);
}, 240_000);

test('a sign-out ends the session for who has copied its cookie, too', async () => {
  await signIn(page);
  const other = await browser.newContext({ javaScriptEnabled: false });
  await other.addCookies(await plain.cookies());
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('You are signed out.').waitFor();
  expect(await plain.cookies()).toEqual([]);
  const stolen = await other.newPage();
  await stolen.goto(`${daemon.url}/portal/account`);
  await stolen.getByRole('heading', { name: 'Sign in' }).waitFor();
  await other.close();
  expect(blocked).toEqual([]);
});
