import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Minute } from '../../../src/model/history.ts';
import type { Snapshot, SubnetState } from '../../../src/model/snapshot.ts';
import { createPages, type Pages } from '../../../src/web/pages/create-pages.ts';
import { assets } from '../../../src/web/pages/paths.ts';
import { auditPage } from '../../support/audit-page.ts';
import { launchChromium } from '../../support/chromium.ts';
import { diagnosedNode, diagnosedService, NOW, STOPPED } from '../../support/diagnosed.ts';
import { NO_INCIDENTS } from '../../support/no-incidents.ts';
import { NO_STEPS } from '../../support/no-steps.ts';
import { stateOf } from '../../support/snapshots.ts';

const SIZES = [
  { width: 1_920, height: 1_080 },
  { width: 1_366, height: 768 },
  { width: 390, height: 844 },
] as const;

const many = (count: number) => Array.from({ length: count }, (_, place) => `subnet${place + 1}`);

/** A subnet of so many nodes with their services, of which some nodes are stopped. */
function subnetOf(count: number, gone: readonly string[] = [], name = 'devnet', height = 184_220): SubnetState {
  const names = many(count);
  const nodes = names.map((one) =>
    diagnosedNode(one, names, gone.includes(one) ? { container: STOPPED, stalledMs: 600_000 } : { height }),
  );
  const [stats, frontend, relayer] = [
    diagnosedService('stats'),
    diagnosedService('frontend'),
    diagnosedService('relayer'),
  ];
  const bootnode = { target: { ...relayer.target, component: 'bootnode', name: 'bootnode' } as const, facts: {} };
  return stateOf([...nodes, stats, frontend, ...(gone.length === 0 ? [] : [relayer, bootnode])], name);
}

const SNAPSHOTS = {
  'a healthy subnet': [subnetOf(4)],
  'a subnet with a node down': [subnetOf(4, ['subnet2'])],
  'a halted subnet': [subnetOf(4, ['subnet2', 'subnet3'])],
  'a single node': [subnetOf(1)],
  '50 nodes': [subnetOf(50, ['subnet7', 'subnet9'])],
  '300 nodes': [subnetOf(300)],
  'a subnet that nobody has seen': [{ ...subnetOf(4), headline: undefined, targets: [], members: undefined }],
  '3 subnets': ['a', 'b', 'c'].map((name) => subnetOf(4, name === 'b' ? ['subnet2'] : [], name)),
  '60 subnets': many(60).map((name, place) => subnetOf(4, place % 20 === 7 ? ['subnet2', 'subnet3'] : [], name)),
} satisfies Readonly<Record<string, Snapshot>>;

let snapshot: Snapshot = SNAPSHOTS['a healthy subnet'];
/** Whether the server is as a proxy whose upstream is gone. */
let isOut = false;
let pages: Pages;
let server: Server;
let browser: Browser;
let url = '';

const minutesOf = (): readonly Minute[] => {
  const last = Math.floor(Date.now() / 60_000) - 1;
  return Array.from({ length: 60 }, (_, ago) => ({ at: (last - ago) * 60_000, blocks: 30, gap: 2 })).toReversed();
};

beforeAll(async () => {
  pages = createPages({
    own: () => ({
      ...{ version: '0.0.0', startedAt: 0, reload: { successful: true, successAt: 0 } },
      ...{ engines: new Map(), isDatabaseUp: true },
    }),
    snapshot: () => snapshot,
    history: {
      ...{ ...NO_STEPS, minutesOf, historyOf: () => ({ hours: [], days: [] }), barsOf: () => [] },
      changesOf: (subnet, at) =>
        Array.from({ length: 20 }, (_, ago) => ({
          ...{ at: at - ago * 60_000, subnet, kind: 'container', what: 'c', was: 'running', is: 'started' },
          ...{ component: 'node', name: 'subnet2', reason: 'somebody started it, and this sentence is a long one' },
        })),
    },
    incidents: NO_INCIDENTS,
    ...{ matchingLines: () => [], mayRestart: () => undefined, outside: {}, mayProbe: false },
    now: () => NOW,
    toWall: (at) => Date.now() + at - NOW,
    onBug: (error) => {
      throw error;
    },
  });
  const app = new Hono();
  for (const { path, type, read } of assets)
    app.get(path, async (c) => c.body(await read(), 200, { 'content-type': type }));
  app.get('/', async (c) => c.html(await pages.status(c.req.query())));
  app.get('/events', (c) => (isOut ? undefined : pages.events(c.req.query())) ?? c.text('bad gateway', 502));
  server = createServer(getRequestListener(app.fetch));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?kiosk`;
  browser = await launchChromium();
});
beforeEach(() => {
  snapshot = SNAPSHOTS['a healthy subnet'];
  isOut = false;
});
afterAll(async () => {
  await browser?.close();
  pages?.stop();
  server?.closeAllConnections();
  server?.close();
});

async function openLive(size: (typeof SIZES)[number] = SIZES[0]): Promise<Page> {
  const page = await browser.newPage({ viewport: size });
  await page.goto(url);
  await page.getByText('Live, updated').waitFor();
  return page;
}

/** What does not fit: the page itself, or a part of a panel, tile, banner or figure, as what is hidden has no scroll bar. */
const FIND_CUT = `[
  ...(document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight ? ['page'] : []),
  ...[...document.querySelectorAll('.panel, ul.services, .figures, .banner, #kiosk-subnets, .tiles, .tiles li, footer')]
    .filter((one) => one.checkVisibility())
    .filter((one) => [...one.children].some((child) => {
      const [inner, outer] = [child.getBoundingClientRect(), one.getBoundingClientRect()];
      return inner.height > 0 && (inner.bottom > outer.bottom + 1 || inner.right > outer.right + 1);
    }))
    .map((one) => one.id || one.className || one.tagName),
]`;

test.each(Object.keys(SNAPSHOTS) as (keyof typeof SNAPSHOTS)[])(
  'the kiosk of %s is one screen on a wall, on a laptop and on a phone',
  async (name) => {
    snapshot = SNAPSHOTS[name];
    const page = await openLive();
    for (const size of SIZES) {
      await page.setViewportSize(size);
      expect(await page.evaluate(FIND_CUT), `${size.width} x ${size.height}`).toEqual([]);
    }
    await page.close();
  },
);

test.each(['a halted subnet', '50 nodes', '60 subnets'] as const)(
  'axe finds nothing in the kiosk of %s',
  async (name) => {
    snapshot = SNAPSHOTS[name];
    const page = await openLive();
    await auditPage(page);
    await page.close();
  },
  60_000,
);

test('the verdict is written large, and a cursor that rests on it is not seen', async () => {
  const page = await openLive();
  const styleOf = (selector: string, name: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${name}`);
  expect(Number.parseFloat(String(await styleOf('h1', 'fontSize')))).toBeGreaterThanOrEqual(64);
  expect(await styleOf('h1', 'cursor')).toBe('none');
  expect(await styleOf('footer a', 'cursor')).toBe('pointer');
  await page.close();
});

test.each([
  ['3 subnets', 3, 1],
  ['60 subnets', 8, 4],
] as const)('the tiles of %s stand in %d columns on a wall, and in %d on a phone', async (name, onWall, onPhone) => {
  snapshot = SNAPSHOTS[name];
  const page = await openLive();
  const columns = async () =>
    String(await page.evaluate('getComputedStyle(document.querySelector(".tiles")).gridTemplateColumns')).split(' ')
      .length;
  expect(await columns()).toBe(onWall);
  await page.setViewportSize(SIZES[2]);
  expect(await columns()).toBe(onPhone);
  await page.close();
});

test('when a subnet halts, the verdict, the title and the icon follow, and nothing else on the screen moves', async () => {
  const page = await openLive();
  expect(await page.evaluate('PerformanceObserver.supportedEntryTypes')).toContain('layout-shift');
  await page.evaluate(`
    window.shifts = [];
    new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value)))
      .observe({ type: 'layout-shift' });`);
  const icon = () => page.evaluate('document.querySelector("link[rel=icon]").href');
  const before = await icon();
  snapshot = [subnetOf(4, [], 'devnet', 184_221)];
  await page.getByText('184,221').first().waitFor();
  snapshot = SNAPSHOTS['a halted subnet'];
  await page.locator('.banner:not(.ok)').waitFor();
  expect(await page.title()).toMatch(/^\(\d\) devnet .* \(subnetd\)$/);
  expect(await icon()).not.toBe(before);
  // The browser reports a shift after the frame in which it happens.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  expect(await page.evaluate('window.shifts')).toEqual([]);
  await page.close();
});

test('in an outage the kiosk says since when it is not live, in grey, and is live again by itself when that is over', async () => {
  const page = await openLive();
  const filter = () => page.evaluate('getComputedStyle(document.querySelector("main")).filter');
  expect(await filter()).toBe('none');
  isOut = true;
  pages.stop();
  await page.getByText(/^Not live since \d\d:\d\d UTC,$/).waitFor();
  expect(await filter()).toBe('grayscale(1)');
  // It stands above all else.
  const box = await page.locator('.live').boundingBox();
  expect([box?.x, box?.y, box?.width]).toEqual([0, 0, SIZES[0].width]);
  snapshot = SNAPSHOTS['a halted subnet'];
  isOut = false;
  await page.getByText('Live, updated').waitFor({ timeout: 20_000 });
  expect(await filter()).toBe('none');
  expect(await page.locator('.banner').getAttribute('class')).not.toContain('ok');
  await page.close();
}, 60_000);

test('a night of updates leaves no more in memory than the first few', async () => {
  const page = await openLive();
  const session = await page.context().newCDPSession(page);
  const measure = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
    return { usedSize, nodes, jsEventListeners };
  };
  // As the stream does it: every part is replaced.
  const update = (times: number) =>
    page.evaluate(`(() => {
      const ids = ['banner', ...[...document.querySelectorAll('[id^="kiosk-"]')].map(({ id }) => id)];
      const parts = Object.fromEntries(ids.map((id) => [id, document.getElementById(id).outerHTML]));
      const icon = document.querySelector('link[rel=icon]').href;
      for (let turn = 0; turn < ${times}; turn += 1)
        show({ at: new Date().toISOString(), title: document.title, icon, parts });
    })()`);
  await update(200);
  const before = await measure();
  await update(2_000);
  const after = await measure();
  // What the last updates have replaced may still be there.
  expect(after.nodes).toBeLessThan(before.nodes * 3);
  expect(after.jsEventListeners).toBeLessThanOrEqual(before.jsEventListeners + 5);
  expect(after.usedSize).toBeLessThan(before.usedSize + 500_000);
  await page.close();
}, 60_000);
