import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Snapshot } from '../../../src/model/snapshot.ts';
import { auditLooks, auditPage } from '../../support/audit-page.ts';
import { launchChromium } from '../../support/chromium.ts';
import { FAULTY, many, startPageStage, subnetOf } from '../../support/page-stage.ts';

const SIZES = [
  { width: 1_920, height: 1_080 },
  { width: 1_366, height: 768 },
  { width: 390, height: 844 },
  { width: 1_280, height: 720 },
] as const;

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

let stage: Awaited<ReturnType<typeof startPageStage>>;
let browser: Browser;

beforeAll(async () => {
  stage = await startPageStage(SNAPSHOTS['a healthy subnet']);
  browser = await launchChromium();
});
beforeEach(() => stage.show(SNAPSHOTS['a healthy subnet']));
afterAll(async () => {
  await browser?.close();
  stage?.stop();
});

async function openLive(path = '/?kiosk'): Promise<Page> {
  const page = await browser.newPage({ viewport: SIZES[0] });
  await page.goto(`${stage.url}${path}`);
  await page.getByText('Live, updated').waitFor();
  return page;
}

/** What does not fit: the page itself, or a part of a panel, tile, banner or figure, as what is hidden has no scroll bar; and what covers a part of a panel. */
const FIND_CUT = `[
  ...(document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight ? ['page'] : []),
  ...[...document.querySelectorAll('.panel, ul.services, .figures, .banner, #kiosk-subnets, .tiles, .tiles li, footer')]
    .filter((one) => one.checkVisibility())
    .filter((one) => [...one.children].some((child) => {
      const [inner, outer] = [child.getBoundingClientRect(), one.getBoundingClientRect()];
      return inner.height > 0 && (inner.bottom > outer.bottom + 1 || inner.right > outer.right + 1);
    }))
    .map((one) => one.id || one.className || one.tagName),
  ...[...document.querySelectorAll('.lane p')]
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth)
    .map((one) => one.textContent + ' is cut'),
  ...[...document.querySelectorAll('.panel > *, .figures div > *')]
    .filter((one) => getComputedStyle(one).position !== 'absolute' && one.nextElementSibling?.checkVisibility())
    .filter((one) => one.getBoundingClientRect().bottom > one.nextElementSibling.getBoundingClientRect().top + 1)
    .map((one) => (one.id || one.className || one.tagName) + ' covers what is below it'),
]`;

test('the words about the pace are whole on the kiosk of every size', async () => {
  stage.show(SNAPSHOTS['a healthy subnet']);
  const page = await openLive();
  const words = '12 now, 30 expected, slow at times, 12 min without a block';
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await page.evaluate(`document.querySelector('.lane p').textContent = '${words}'`);
    expect(await page.evaluate(FIND_CUT), `${size.width} x ${size.height}`).toEqual([]);
  }
  await page.close();
});

test.each(Object.keys(SNAPSHOTS) as (keyof typeof SNAPSHOTS)[])(
  'the kiosk of %s is one screen on a wall, on a laptop and on a phone',
  async (name) => {
    stage.show(SNAPSHOTS[name]);
    const page = await openLive();
    for (const size of SIZES) {
      await page.setViewportSize(size);
      expect(await page.evaluate(FIND_CUT), `${size.width} x ${size.height}`).toEqual([]);
    }
    await page.close();
  },
);

/** All that pages may show at a glance. */
const STATES: Readonly<Record<string, Snapshot>> = {
  'a healthy subnet': SNAPSHOTS['a healthy subnet'],
  ...Object.fromEntries(Object.entries(FAULTY).map(([name, subnet]) => [name, [subnet]])),
  '50 nodes': SNAPSHOTS['50 nodes'],
  '300 nodes': SNAPSHOTS['300 nodes'],
  '40 subnets': SNAPSHOTS['60 subnets'].slice(0, 40),
};

test.each(Object.keys(STATES))(
  'with %s axe finds nothing in any page, and none is wider than its screen, also in high contrast',
  async (name) => {
    const snapshot = STATES[name] ?? [];
    stage.show(snapshot);
    const page = await browser.newPage({ bypassCSP: true });
    const [first, ...others] = snapshot;
    const isSmall = others.length === 0 && (first?.targets.length ?? 0) < 12;
    const target = isSmall ? [`/targets/${first?.subnet.name}/subnet2`] : [];
    const more = { 'a halt': ['/alerts'], '50 nodes': ['/?range=30d'] }[name] ?? [];
    for (const path of ['/', '/?kiosk', ...target, ...more]) {
      await page.goto(`${stage.url}${path}`);
      await auditPage(page);
      for (const forcedColors of ['none', 'active'] as const)
        for (const size of SIZES) {
          await page.emulateMedia({ forcedColors, contrast: forcedColors === 'active' ? 'no-preference' : 'more' });
          await page.setViewportSize(size);
          expect(await page.evaluate('document.documentElement.scrollWidth'), `${path} ${forcedColors}`).toBe(
            size.width,
          );
        }
      await page.emulateMedia({ forcedColors: 'none', contrast: 'no-preference' });
    }
    await page.close();
  },
  360_000,
);

test.each(['/', '/?kiosk'])('axe finds nothing in %s in high contrast', async (path) => {
  stage.show(SNAPSHOTS['a subnet with a node down']);
  const page = await openLive(path);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, forcedColors: 'active', contrast: 'no-preference' });
    await auditLooks(page, `with the colours of the system, in ${colorScheme}`);
    await page.emulateMedia({ colorScheme, forcedColors: 'none', contrast: 'more' });
    await auditLooks(page, `with more contrast, in ${colorScheme}`);
  }
  await page.close();
});

test('a healthy subnet of four is seen as a whole on a wide screen, with how it was beside it', async () => {
  const page = await openLive('/');
  const placeOf = async (selector: string) => {
    const box = await page.locator(selector).boundingBox();
    return { x: box?.x ?? 0, top: box?.y ?? 0, bottom: (box?.y ?? 0) + (box?.height ?? 0) };
  };
  const targets = await placeOf('#state-targets-devnet tbody tr:last-child');
  const time = await placeOf('#state-time-devnet');
  expect((await placeOf('.picture')).bottom).toBeLessThan(1_080);
  expect(targets.bottom).toBeLessThan(1_080);
  expect(time.top).toBeLessThan(400);
  expect(time.x).toBeGreaterThan(targets.x);
  await page.close();
});

test.each(['/', '/targets/devnet/subnet1'])('nothing moves on %s when new blocks come', async (path) => {
  const page = await openLive(path);
  const shifts = await watchShifts(page);
  for (const [height, written] of [
    [184_221, /184,?221/],
    [1_184_222, /1,?184,?222/],
  ] as const) {
    stage.show([subnetOf(4, [], 'devnet', height)]);
    await page.getByText(written).first().waitFor();
  }
  expect(await shifts()).toEqual([]);
  await page.close();
});

test('what is being read stays where it is when a problem comes above it', async () => {
  stage.show(SNAPSHOTS['a healthy subnet']);
  const page = await openLive('/');
  await page.setViewportSize(SIZES[2]);
  const heading = page.locator('#targets-devnet');
  await page.evaluate(`scrollBy(0, document.getElementById('targets-devnet').getBoundingClientRect().top - 40)`);
  const shifts = await watchShifts(page);
  // Nothing below it grows: Chromium would count that, by how far the page was scrolled, as a shift.
  stage.show([FAULTY['a node behind']]);
  await page.locator('.problem').first().waitFor({ state: 'attached' });
  expect((await heading.boundingBox())?.y).toBeCloseTo(40, 0);
  expect(await shifts()).toEqual([]);
  await page.close();
});

test('the range of the charts goes along to a target and back', async () => {
  const page = await browser.newPage();
  await page.goto(`${stage.url}/?range=24h`);
  await page.getByRole('table').getByRole('link', { name: 'subnet2' }).first().click();
  await page.waitForURL('**/targets/devnet/subnet2?range=24h');
  await page.getByRole('link', { name: 'devnet', exact: true }).click();
  await page.waitForURL('**/?subnet=devnet&range=24h');
  await page.close();
});

test('a page loads itself again, once, when subnetd was started again', async () => {
  const page = await openLive();
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  stage.restart();
  await expect.poll(() => loads, { timeout: 20_000 }).toBe(1);
  stage.show([subnetOf(4, [], 'devnet', 184_221)]);
  await page.getByText('184,221').first().waitFor();
  expect(loads).toBe(1);
  await page.close();
}, 60_000);

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
  ['60 subnets', 8, 3],
] as const)('the tiles of %s stand in %d columns on a wall, and in %d on a phone', async (name, onWall, onPhone) => {
  stage.show(SNAPSHOTS[name]);
  const page = await openLive();
  const columns = async () =>
    String(await page.evaluate('getComputedStyle(document.querySelector(".tiles")).gridTemplateColumns')).split(' ')
      .length;
  expect(await columns()).toBe(onWall);
  await page.setViewportSize(SIZES[2]);
  expect(await columns()).toBe(onPhone);
  await page.close();
});

/** Begins to note what moves on a page by itself. Resolves to a function that reads it. */
async function watchShifts(page: Page): Promise<() => Promise<unknown>> {
  expect(await page.evaluate('PerformanceObserver.supportedEntryTypes')).toContain('layout-shift');
  await page.evaluate(`
    window.shifts = [];
    new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value)))
      .observe({ type: 'layout-shift' });`);
  return async () => {
    // The browser reports a shift after the frame in which it happens.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    return page.evaluate('window.shifts');
  };
}

test('when a subnet halts, the verdict, the title and the icon follow, and nothing else on the screen moves', async () => {
  const page = await openLive();
  const shifts = await watchShifts(page);
  const icon = () => page.evaluate('document.querySelector("link[rel=icon]").href');
  const before = await icon();
  stage.show([subnetOf(4, [], 'devnet', 184_221)]);
  await page.getByText('184,221').first().waitFor();
  stage.show(SNAPSHOTS['a halted subnet']);
  await page.locator('.banner:not(.ok)').waitFor();
  expect(await page.title()).toMatch(/^\(\d\) devnet .* \(subnetd\)$/);
  expect(await icon()).not.toBe(before);
  expect(await shifts()).toEqual([]);
  await page.close();
});

test('in an outage the kiosk says since when it is not live, in grey, and is live again by itself when that is over', async () => {
  const page = await openLive();
  const filter = () => page.evaluate('getComputedStyle(document.querySelector("main")).filter');
  expect(await filter()).toBe('none');
  stage.fail();
  await page.getByText(/^Not live since \d\d:\d\d UTC,$/).waitFor();
  expect(await filter()).toBe('grayscale(1)');
  // It stands above all else.
  const box = await page.locator('.live').boundingBox();
  expect([box?.x, box?.y, box?.width]).toEqual([0, 0, SIZES[0].width]);
  stage.show(SNAPSHOTS['a halted subnet']);
  stage.mend();
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
        show({ at: new Date().toISOString(), title: document.title, icon, startedAt: madeBy, parts });
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
}, 360_000);
