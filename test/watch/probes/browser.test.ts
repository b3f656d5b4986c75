import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Browser, createBrowser } from '../../../src/watch/probes/browser.ts';
import { FEATURES_OFF } from '../../../src/watch/probes/start-browser.ts';
import { findChromium, findShell, launchChromium, listDescendants } from '../../support/chromium.ts';
import { closedAddress, pageWith, servePages } from '../../support/pages.ts';

const TIMEOUT_MS = 15_000;
const LONG_MS = 60_000;
const nothing = { kind: 'visited', consoleErrors: 0, exceptions: 0, failedRequests: 0 };

let browser: Browser;

beforeAll(() => {
  // Half of the work for the same pages; tests that end or flood a browser have Chromium itself.
  browser = createBrowser({ executablePath: findShell() });
});

afterAll(() => browser.stop());

const visit = async (pages: Parameters<typeof servePages>[0], timeoutMs = TIMEOUT_MS) =>
  browser.visit(`${await servePages(pages)}/`, [], timeoutMs);

describe('a page', () => {
  test('without an error and without an icon shows nothing', async () => {
    const script =
      '<script>console.log("an error"); console.warn("error"); fetch("/data").then((r) => r.json())</script>';
    const data = (_: unknown, response: import('node:http').ServerResponse) => response.end('{}');
    expect(await visit({ '/': pageWith(script), '/data': data })).toEqual(nothing);
  });

  test('that wants a style of the internet shows nothing, and the internet is not asked', async () => {
    const head = '<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Nunito+Sans&display=swap">';
    expect(await visit({ '/': pageWith(head) })).toEqual(nothing);
  });

  test('that prints errors has each counted', async () => {
    const script = '<script>console.error("a"); console.error("b"); console.assert(false, "c")</script>';
    expect(await visit({ '/': pageWith(script) })).toEqual({ ...nothing, consoleErrors: 3 });
  });

  test('that throws has it counted, late ones and rejections too', async () => {
    const script =
      '<script>setTimeout(() => { throw new Error("late") }, 300); Promise.reject(new Error("no")); throw new Error("now")</script>';
    expect(await visit({ '/': pageWith(script) })).toEqual({ ...nothing, exceptions: 3 });
  });

  test('whose requests fail has each counted once: no answer, and a bad status', async () => {
    const gone = await closedAddress();
    const body = `<img src="/missing.png"><script>fetch("${gone}/information").catch(() => {}); fetch("/500").catch(() => {})</script>`;
    const broken = (_: unknown, response: import('node:http').ServerResponse) => response.writeHead(500).end();
    expect(await visit({ '/': pageWith('', body), '/500': broken })).toEqual({ ...nothing, failedRequests: 3 });
  });

  test('whose data hangs has it counted', async () => {
    const script = '<script>fetch("/hangs")</script>';
    expect(await visit({ '/': pageWith(script), '/hangs': () => {} }, 12_000)).toEqual({
      ...nothing,
      failedRequests: 1,
    });
  });

  test('that gives a request up itself shows nothing', async () => {
    const script =
      '<script>const c = new AbortController(); fetch("/hangs", { signal: c.signal }).catch(() => {}); setTimeout(() => c.abort(), 200)</script>';
    expect(await visit({ '/': pageWith(script), '/hangs': () => {} })).toEqual(nothing);
  });

  test('with a password in its address is opened, and the address does not reach it', async () => {
    const address = await servePages({
      '/': (request, response) => {
        const known = request.headers.authorization === `Basic ${Buffer.from('me:secret').toString('base64')}`;
        response
          .writeHead(known ? 200 : 401, { 'content-type': 'text/html', 'www-authenticate': 'Basic realm="x"' })
          .end(pageWith('<script>if (location.href.includes("secret")) throw new Error()</script>'));
      },
    });
    expect(await browser.visit(address.replace('//', '//me:secret@'), [], TIMEOUT_MS)).toEqual(nothing);
  });
});

describe('a page that is none', () => {
  test.each<readonly [string, Parameters<typeof servePages>[0], object]>([
    ['never answers', { '/': () => {} }, { why: 'timeout' }],
    [
      'never ends',
      { '/': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).write('<p>') },
      { why: 'timeout' },
    ],
    ['never ends loading an image', { '/': pageWith('', '<img src="/slow">'), '/slow': () => {} }, { why: 'timeout' }],
    ['loops in its script', { '/': pageWith('', '<script>for (;;) {}</script>') }, { why: 'timeout' }],
    ['opens dialogs for ever', { '/': pageWith('<script>for (;;) alert(1)</script>') }, { why: 'dialogs' }],
    [
      'opens many windows',
      { '/': pageWith('<script>for (let count = 0; count < 30; count++) open("/window")</script>') },
      { why: 'dialogs' },
    ],
    ['reloads for ever', { '/': pageWith('<script>location.reload()</script>') }, { why: 'redirects' }],
    [
      'redirects for ever',
      { '/': (_, response) => response.writeHead(302, { location: '/' }).end() },
      { why: 'redirects' },
    ],
    [
      'is a download',
      { '/': (_, response) => response.writeHead(200, { 'content-disposition': 'attachment' }).end('x') },
      { why: 'no-html' },
    ],
    ['answers 503', { '/': (_, response) => response.writeHead(503).end('no') }, { why: 'status', status: 503 }],
    ['floods the console', { '/': pageWith('<script>for (;;) console.log(1)</script>') }, { why: 'too-large' }],
  ])(
    'that %s has that fault, in bounded time',
    async (_, pages, expected) => {
      expect(await visit(pages, 'why' in expected && expected.why === 'timeout' ? 2_500 : LONG_MS)).toEqual({
        kind: 'no-page',
        ...expected,
      });
    },
    2 * LONG_MS,
  );

  test(
    'that sends data without an end has that fault, and is not waited for',
    async () => {
      const endless = (_: unknown, response: import('node:http').ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/octet-stream' });
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 'x')));
        };
        response.on('drain', more);
        more();
      };
      const script = '<script>fetch("/endless").then((response) => response.arrayBuffer())</script>';
      expect(await visit({ '/': pageWith(script), '/endless': endless }, LONG_MS)).toEqual({
        kind: 'no-page',
        why: 'too-large',
      });
    },
    2 * LONG_MS,
  );

  test(
    'that prints a text of 20 MB has that fault, is not read to its end, and the next one is opened',
    async () => {
      const own = createBrowser({ executablePath: findChromium() });
      onTestFinished(() => own.stop());
      const script = '<script>console.error("x".repeat(2e7))</script>';
      const url = await servePages({ '/': pageWith(script) });
      expect(await own.visit(url, [], LONG_MS)).toEqual({ kind: 'no-page', why: 'too-large' });
      expect(await own.visit(await servePages({ '/': pageWith('') }), [], LONG_MS)).toEqual(nothing);
    },
    2 * LONG_MS,
  );

  test('at an address without a listener is reported', async () => {
    expect(await browser.visit(await closedAddress(), [], TIMEOUT_MS)).toEqual({ kind: 'no-page', why: 'unreachable' });
  });
});

describe('a browser', () => {
  test('is one for all visits, starts again when it was killed, and leaves no process behind', async () => {
    const own = createBrowser({ executablePath: findChromium() });
    const before = new Set(listDescendants(process.pid).map(({ pid }) => pid));
    const ours = () => listDescendants(process.pid).filter(({ pid }) => !before.has(pid));
    const main = () => ours().filter(({ parent, state }) => parent === process.pid && state !== 'Z');
    const url = await servePages({ '/': pageWith('') });
    expect(await own.visit(url, [], TIMEOUT_MS)).toEqual(nothing);
    const [first] = main();
    expect(await own.visit(url, [], TIMEOUT_MS)).toEqual(nothing);
    expect(main().map(({ pid }) => pid)).toEqual([first?.pid]);
    // Chromium loads no page of its own windows, which nobody sees.
    expect(ours().filter(({ command }) => command.includes('--top-chrome-webui'))).toEqual([]);

    process.kill(first?.pid as number, 'SIGKILL');
    await vi.waitFor(() => expect(main()).toEqual([]), { timeout: 30_000 });
    expect(await own.visit(url, [], TIMEOUT_MS)).toEqual(nothing);
    await own.stop();
    await vi.waitFor(() => expect(ours()).toEqual([]), { timeout: 30_000 });
    expect(await own.visit(url, [], TIMEOUT_MS)).toMatchObject({ kind: 'no-browser' });
  }, 90_000);

  test('has off what Playwright turns off, whose list it replaces', () => {
    const bundle = readFileSync(
      new URL('../../../node_modules/playwright-core/lib/coreBundle.js', import.meta.url),
      'utf8',
    );
    const [, list = ''] = /disabledFeatures = \[([^\]]*)\]/.exec(bundle) ?? [];
    const names = [...list.matchAll(/^\s*"(\w+)"/gm)].map(([, name = '']) => name);
    expect(names).toContain('HttpsUpgrades');
    const elsewhere = /^ms|Win$/;
    expect(FEATURES_OFF).toEqual(expect.arrayContaining(names.filter((name) => !elsewhere.test(name))));
  });

  test('that is stopped during a visit ends it', async () => {
    const own = createBrowser({ executablePath: findChromium() });
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const url = await servePages({ '/': () => resolve() });
    const visiting = own.visit(url, [], 3_600_000);
    await asked;
    await own.stop();
    expect((await visiting).kind).toMatch(/^no-/);
  }, 90_000);

  test.each([
    ['/no/such/chromium', 'missing'],
    [import.meta.filename, 'not-executable'],
    ['/bin/false', 'no-start'],
  ])('at %s: %s', async (executablePath, why) => {
    const own = createBrowser({ executablePath });
    expect(await own.visit('http://127.0.0.1:9/', [], TIMEOUT_MS)).toEqual({ kind: 'no-browser', why });
    await own.stop();
  });

  test('at an address that hangs is reported, and again the next time', async () => {
    const server = createServer((socket) => socket.on('error', () => {}));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const own = createBrowser({ cdpUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    for (const _ of [1, 2])
      expect(await own.visit('http://127.0.0.1:9/', [], 1_000)).toEqual({ kind: 'no-browser', why: 'timeout' });
    await own.stop();
  }, 90_000);

  test('that runs elsewhere is reached by the name of its machine', async () => {
    const port = Number(new URL(await closedAddress()).port);
    const elsewhere = await launchChromium([`--remote-debugging-port=${port}`]);
    onTestFinished(() => elsewhere.close());
    // Debian's Chromium listens for this machine alone; in a container it listens for its neighbours.
    const door = createServer((socket) => {
      const inner = connect(port, '127.0.0.1');
      socket.on('error', () => inner.destroy());
      inner.on('error', () => socket.destroy());
      socket.pipe(inner).pipe(socket);
    });
    await once(door.listen(0), 'listening');
    onTestFinished(() => void door.close());
    const own = createBrowser({ cdpUrl: `http://${hostname()}:${(door.address() as AddressInfo).port}` });
    onTestFinished(() => own.stop());
    expect(await own.visit(await servePages({ '/': pageWith('') }), [], TIMEOUT_MS)).toEqual(nothing);
  }, 90_000);

  test('at an address without a listener is unreachable', async () => {
    const own = createBrowser({ cdpUrl: await closedAddress() });
    expect(await own.visit('http://127.0.0.1:9/', [], TIMEOUT_MS)).toEqual({ kind: 'no-browser', why: 'unreachable' });
    await own.stop();
  });
});
