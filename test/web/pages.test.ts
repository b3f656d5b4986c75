import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { alertRules } from '../../src/tell/alerts/alert-rules.ts';
import { type ApiDaemon, startApiDaemon } from '../support/api-daemon.ts';
import { launchChromium } from '../support/chromium.ts';
import { eventually, temporaryFolder } from '../support/cli.ts';

let folder: ReturnType<typeof temporaryFolder>;
let daemon: ApiDaemon;
let browser: Browser;
beforeAll(async () => {
  folder = temporaryFolder();
  daemon = await startApiDaemon({
    SUBNETD_DATABASE_URL: `sqlite:${join(folder.path('data'), 'subnetd.db')}`,
    SUBNETD_LOG_LEVEL: 'debug',
  });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await daemon?.end();
  folder.remove();
});

it.each(['/', '/alerts', '/alerts/SubnetHalted', '/alerts/Nothing'])(
  'the page %s has its style and its script in a browser, and nothing of it is blocked',
  async (path) => {
    const page = await browser.newPage();
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    const asked: string[] = [];
    page.on('response', (response) => asked.push(`${response.status()} ${new URL(response.url()).pathname}`));
    await page.goto(`${daemon.url}${path}`, { waitUntil: 'load' });
    expect(await page.evaluate('getComputedStyle(document.body).margin')).toBe('0px');
    const status = path === '/alerts/Nothing' ? 404 : 200;
    expect(asked.slice(0, 4).sort()).toEqual(
      [`${status} ${path}`, '200 /assets/live.js', '200 /assets/style.css', '200 /assets/theme.js'].sort(),
    );
    // A page that is not there is said by the browser itself.
    expect(said.filter((text) => !/the server responded with a status of 404/.test(text))).toEqual([]);
    await page.close();
  },
);

it('no page brings a style, a script or an image of its own, which the browser would have to be allowed', async () => {
  for (const path of ['/', '/?kiosk', '/alerts', ...alertRules.map(({ name }) => `/alerts/${name}`)]) {
    const text = await (await fetch(`${daemon.url}${path}`)).text();
    expect(text.replace(/"[^"]*"/g, '""'), path).not.toMatch(/<(?:style|script>|img|iframe)|<[^>]* (?:style|on\w+)=/);
  }
});

it('a line of the log for each answer has the id that the answer carries, and no path', async () => {
  const url = `${daemon.url}/api/Sector/ListAll/0?apiKey=subnetd_secret`;
  const answer = await fetch(url, { headers: { 'x-request-id': 'trace-1' } });
  expect(answer.headers.get('x-request-id')).toBe('trace-1');
  const line = await eventually(() => {
    const found = /^.*"requestId":"trace-1".*"msg":"answered".*$/m.exec(daemon.output())?.[0];
    if (found === undefined) throw new Error('no line yet');
    return JSON.parse(found);
  });
  expect(line).toEqual({
    level: 'debug',
    time: expect.any(String),
    requestId: 'trace-1',
    method: 'GET',
    route: '/api/Sector/ListAll/{id}',
    status: 400,
    ms: expect.any(Number),
    msg: 'answered',
  });
  expect(daemon.output()).not.toContain('subnetd_secret');
});
