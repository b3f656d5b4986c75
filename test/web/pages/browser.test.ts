import { writeFileSync } from 'node:fs';
import { hash } from 'bcrypt';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { auditPage } from '../../support/audit-page.ts';
import { launchChromium } from '../../support/chromium.ts';
import { NO_BROWSER, startCli, startDaemon, temporaryFolder } from '../../support/cli.ts';

let folder: ReturnType<typeof temporaryFolder>;
let demo: ReturnType<typeof startCli>;
let url: string;
let browser: Browser;
/** The page in which axe runs. One for all: a page of its own for each costs a process each. */
let audited: Page;
beforeAll(async () => {
  folder = temporaryFolder();
  // A name that is not an address of this machine, as a browser treats those in another way.
  browser = await launchChromium(['--host-resolver-rules=MAP subnetd.test 127.0.0.1']);
  audited = await browser.newPage({ bypassCSP: true });
  const environment = { TMPDIR: folder.path(''), ...NO_BROWSER };
  demo = startCli(['demo', '--fault', 'node-down', '--listen', '127.0.0.1:0'], environment);
  [, url = ''] = await demo.waitFor(/(http:\/\/127\.0\.0\.1:\d+)\/metrics/);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  demo?.child.kill('SIGTERM');
  await demo?.finished;
  folder.remove();
});

test('the banner of a page that is open comes to name the cause, without a reload', async () => {
  const page = await browser.newPage();
  let loads = 0;
  page.on('framenavigated', () => {
    loads += 1;
  });
  await page.goto(url);
  const heading = page.locator('#banner h1');
  await page.getByText('demo is running, but no further node may fail').first().waitFor({ timeout: 90_000 });
  expect(await heading.textContent()).toBe('demo is running, but no further node may fail');
  // That is confirmed by itself, which may be a moment later.
  await expect
    .poll(() => page.locator('#banner p').textContent(), { timeout: 20_000 })
    .toContain('The container of subnet2 does not run.');
  expect(await page.title()).toContain('no further node may fail');
  expect(await page.locator('.live').textContent()).toMatch(/^Live, updated \d+ s ago/);
  expect(loads).toBe(1);

  // What was opened stays open when the page changes, and a command is copied or selected.
  await page.locator('summary').first().click();
  const height = () => page.locator('.figures dd').first().textContent();
  const before = await height();
  await expect.poll(height, { timeout: 20_000 }).not.toBe(before);
  expect(await page.locator('details').first().getAttribute('open')).toBe('');
  await page
    .getByRole('button', { name: /Copy the command: the container of subnet2/ })
    .first()
    .click();
  await page
    .getByText(/^(Copied|Selected)$/)
    .first()
    .waitFor();
  await page.close();
}, 120_000);

test('the demo prints who signs in to its portal', async () => {
  const [, UserName = '', Password = ''] = /sign in as (\S+) with (\S+)/.exec(demo.output()) ?? [];
  const answer = await fetch(`${url}/portal/sign-in`, {
    method: 'POST',
    headers: { origin: url },
    body: new URLSearchParams({ UserName, Password }),
    redirect: 'manual',
  });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/portal']);
});

test('a page whose stream has died says so', async () => {
  const page = await browser.newPage();
  await page.route('**/events**', (route) => route.abort());
  await page.goto(url);
  await page.getByText(/^Not live since \d\d:\d\d UTC,$/).waitFor();
  expect(await page.locator('.live').evaluate((line) => line.classList.contains('on'))).toBe(false);
  await page.close();
});

test('without a script everything is there, and the page says when it was made', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(url);
  expect(await page.locator('.live').textContent()).toMatch(/^Made 0 s ago\s*Refresh$/);
  expect(await page.locator('#state-targets-demo tbody tr').count()).toBe(8);
  expect(await page.locator('#state-masternodes-demo tbody tr').count()).toBe(4);
  expect(await page.locator('.cmd').first().isVisible()).toBe(true);
  expect(await page.locator('.cmd button').first().isVisible()).toBe(false);
  await context.close();
});

test.each(['127.0.0.1', 'subnetd.test'])(
  'at %s a user probes a target from its page, without a script',
  async (host) => {
    const inventory = folder.path('one.yaml');
    writeFileSync(
      inventory,
      'subnets: [{ name: s, nodes: [{ name: n, rpc: http://127.0.0.1:1 }], checks: { rpc: { schedule: every 1h } } }]\n',
    );
    writeFileSync(folder.path('web.yml'), `basic_auth_users: { me: '${await hash('pass word', 4)}' }\n`);
    const daemon = await startDaemon(inventory, { SUBNETD_WEB_CONFIG: folder.path('web.yml') });
    const httpCredentials = { username: 'me', password: 'pass word' };
    const context = await browser.newContext({ javaScriptEnabled: false, httpCredentials });
    try {
      const page = await context.newPage();
      const address = `http://${host}:${new URL(daemon.url).port}/targets/s/n`;
      const failed = () =>
        page
          .getByText(/of \d+ failed/)
          .first()
          .textContent();
      await expect.poll(async () => (await page.goto(address)) && failed()).toBe('1 of 1 failed');
      await page.getByRole('button', { name: 'Probe now' }).click();
      await page.waitForURL(address);
      expect(await failed()).toBe('2 of 2 failed');
    } finally {
      await context.close();
      daemon.child.kill('SIGTERM');
      await daemon.finished;
    }
  },
);

const PAGES = [
  '/',
  '/?range=24h',
  '/?range=30d',
  '/targets/demo/subnet3?range=7d',
  '/?kiosk',
  '/targets/demo/subnet1',
  '/targets/demo/subnet2',
  '/incidents',
  '/incidents?subnet=none',
  '/incidents?problem=container_down',
  '/alerts',
  '/alerts/SubnetHalted?subnet=demo',
  '/alerts/SubnetContainerDown?subnet=demo&name=subnet2',
  '/docs?q=sector',
  '/docs/sectors',
  '/docs/accounts',
  '/docs/codes',
  '/docs/try?operation=addSector',
];

test('the card of a problem leads to its incident, where a program or person with a key adds a note without a script', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('link', { name: 'Incident', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Capsule' }).waitFor();
  await page.locator('summary').last().click();
  expect(await page.locator('pre.log').last().textContent()).toMatch(/\n.*\n/);
  await page.getByLabel('Your note').fill('I stopped it <b>myself</b>');
  await page
    .getByRole('region', { name: 'Notes' })
    .getByLabel('API key or token')
    .fill(/subnetd_[\w-]{43}/.exec(demo.output())?.[0] ?? '');
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.waitForURL(/#notes$/);
  expect(await page.locator('.note-text').textContent()).toBe('I stopped it <b>myself</b>');
  const feed = await (await fetch(`${url}/feed.atom`)).text();
  const script = `new DOMParser().parseFromString(${JSON.stringify(feed)}, 'application/xml').documentElement.tagName`;
  expect(await page.evaluate(script)).toBe('feed');
  await context.close();
}, 60_000);

/** The commands of which the copy button covers a part. */
const FIND_COVERED = `[...document.querySelectorAll('.block')].filter((block) => {
  const button = block.querySelector('button').getBoundingClientRect();
  const text = document.createRange();
  text.selectNodeContents(block.querySelector('code'));
  return [...text.getClientRects()].some(({ right, top, bottom }) =>
    right > button.left && top < button.bottom && bottom > button.top);
}).map(({ textContent }) => textContent)`;

test.each(PAGES)('%s passes axe in dark and in light, and is not wider than a phone or a wide screen', async (path) => {
  await audited.goto(`${url}${path}`);
  await auditPage(audited);
  await audited.setViewportSize({ width: 390, height: 844 });
  expect(await audited.evaluate(FIND_COVERED)).toEqual([]);
});

test('the charts of a day are full when the demo begins, share one axis, and their marks lead to an incident, without a script', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  // The simulated day is read when the database is used first.
  const bars = () => page.locator('#state-time-demo .pace').getAttribute('d', { timeout: 1_000 });
  await expect
    .poll(async () => (await page.goto(`${url}/?range=24h`)) && bars().catch(() => ''), { timeout: 40_000 })
    .toMatch(/^M0 100/);
  await page.goto(url);
  await page.getByRole('navigation', { name: 'Time range of demo' }).getByRole('link', { name: '24 h' }).click();
  await page.waitForURL(/\?range=24h#time-demo$/);
  expect((await bars())?.match(/M\d+ 100/g)?.length).toBeGreaterThanOrEqual(47);
  const PLACES = `[...document.querySelectorAll('.lanes .chart')].map((one) => one.getBoundingClientRect().x + ' ' + one.clientWidth)`;
  for (const [width, height] of [
    [1_920, 1_080],
    [1_366, 768],
    [390, 844],
  ] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const places = (await page.evaluate(PLACES)) as readonly string[];
      expect(places.length).toBeGreaterThan(4);
      expect(new Set(places).size).toBe(1);
    }
  await page.locator('.chart a').first().click();
  await page.getByRole('heading', { name: 'demo: frontend did not answer' }).waitFor();
  await context.close();
}, 90_000);

test('on a phone the command of the worst problem stands on the first screen, and the keyboard reaches the content', async () => {
  const page = await browser.newPage({ viewport: { width: 360, height: 680 } });
  await page.goto(url);
  // The page may be renewed at this moment.
  await vi.waitFor(async () => expect((await page.locator('.cmd').first().boundingBox())?.y).toBeLessThan(680), 10_000);
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.className')).toBe('skip');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
  await page.close();
});

test('the reference is whole without a script, and says how to search it then', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const plain = await context.newPage();
  await plain.goto(`${url}/docs/wallet`);
  await plain.getByRole('searchbox').fill('1116');
  await plain.keyboard.press('Enter');
  await plain.waitForURL(/\/docs\?q=1116/);
  const lines = plain.locator('.op-item, .code-item');
  expect(await lines.count()).toBeGreaterThan(60);
  expect(await plain.locator('.op-item:visible, .code-item:visible').count()).toBe(await lines.count());
  expect(await plain.locator('noscript p').first().isVisible()).toBe(true);
  // An anchor of the time when the reference was one page is still there, and leads on.
  await plain.goto(`${url}/docs#code-1116`);
  await plain.locator('#code-1116').getByRole('link').click();
  await plain.waitForURL(/\/docs\/codes#code-1116$/);
  await plain.goto(`${url}/docs/wallet`);
  await plain.getByRole('radio', { name: 'TypeScript' }).check();
  expect(await plain.getByText('await fetch(').first().isVisible()).toBe(true);
  expect(await plain.locator('#getWallet').getByText('curl -s').isVisible()).toBe(false);
  await context.close();
});

test('the reference searches in the page, for what its address says and for what is typed', async () => {
  const page = await browser.newPage();
  const shown = () =>
    page.locator('.op-item:visible, .code-item:visible').evaluateAll((all) => all.map(({ id }) => id));
  for (const [asked, ids, found] of [
    ['1116', ['getWallet', 'code-1116'], '1 operation, 1 code'],
    ['  SKILLNAME   post', ['addSector'], '1 operation, 0 codes'],
    ['Retry-After', ['code-1102'], '0 operations, 1 code'],
    ['<b>sector</b>', [], '0 operations, 0 codes'],
  ] as const) {
    await page.goto(`${url}/docs?${new URLSearchParams({ q: asked })}`);
    await page.getByText(found, { exact: true }).waitFor();
    expect(await shown()).toEqual(ids);
    expect(await page.getByText('Nothing matches.').isVisible()).toBe(ids.length === 0);
  }
  for (const old of ['?q=1116#code-1103', '#code-1103']) {
    await page.goto(`${url}/docs${old}`);
    await page.waitForURL(`${url}/docs/codes#code-1103`);
  }
  await page.goto(`${url}/docs#addSector`);
  await page.waitForURL(`${url}/docs/sectors#addSector`);
  await page.goto(`${url}/docs?q=existence`);
  await page.getByRole('link', { name: 'List admin users' }).click();
  await page.getByText('In the specification: Check Account Existence.').waitFor();

  await page.goto(`${url}/docs`);
  await page.getByRole('searchbox').fill('1116');
  await page.getByText('1 operation, 1 code', { exact: true }).waitFor();
  expect(await shown()).toEqual(['getWallet', 'code-1116']);
  expect(await page.locator('.group:visible h2').allTextContents()).toEqual(['Wallet', 'Codes']);
  expect(page.url()).toBe(`${url}/docs`);
  // A section that the search hides is shown to whoever comes for it.
  await page.goto(`${url}/docs#section-Sector`);
  await page.locator('#section-Sector').waitFor();
  await page.close();
});

test('a request is tried from the reference with a key that stays in the page', async () => {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  await page.goto(`${url}/docs/try?operation=addIndustry`);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText(/^Failed with the code 1101: HTTP 401/).waitFor();
  expect(await page.getByRole('link', { name: 'What the code means' }).getAttribute('href')).toMatch(
    /\/docs\/codes#code-1101$/,
  );
  await page.getByLabel('API key or token').fill(/subnetd_[\w-]{43}/.exec(demo.output())?.[0] ?? '');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText(/^Success: HTTP 200, \d+ ms, request [\w-]+$/).waitFor();
  expect(JSON.parse((await page.locator('#answer').textContent()) ?? '')).toMatchObject({ data: { IndustryID: 4 } });
  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')).toBe(
    '[{},{},""]',
  );
  const asked = "JSON.stringify([location.href, performance.getEntriesByType('resource').map(({ name }) => name)])";
  expect(await page.evaluate(asked)).not.toContain('subnetd_');
  // Whoever comes back finds nothing of it.
  await page.goto(`${url}/livez`);
  await page.goBack();
  await page.getByText('Nothing has been sent yet.').waitFor();
  expect([await page.getByLabel('API key or token').inputValue(), await page.locator('#answer').textContent()]).toEqual(
    ['', ''],
  );
  expect(errors).toEqual([]);

  // A token of its own answer is taken with a button, and a list is asked with it.
  await page.goto(`${url}/docs/try?operation=getToken`);
  await page.getByLabel('API key or token').fill(/subnetd_[\w-]{43}/.exec(demo.output())?.[0] ?? '');
  await page.getByLabel('Body').fill('{}');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('button', { name: 'Use this token' }).click();
  expect(await page.getByLabel('API key or token').inputValue()).toMatch(/^eyJ/);
  await page.close();
});
