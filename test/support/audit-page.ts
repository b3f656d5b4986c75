import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** What axe-core answers, as far as a test reads it. */
interface AxeAnswer {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PHONE = { width: 360, height: 780 };
const WIDE = { width: 1_920, height: 780 };
/** The rules of axe about what a style sheet can change. */
const LOOKS = ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable'];

/** What axe finds in the page that is open, which needs scripts. */
async function findViolations(page: Page, options: object = {}) {
  // So, and not as a tag, the content security policy of the page lets it run.
  await page.evaluate(`${AXE};0`);
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify({ ...options, resultTypes: ['violations'] })})`,
  )) as AxeAnswer;
  return violations.map(({ id, nodes }) => ({ id, html: nodes.map((node) => node.html) }));
}

/** Expects that axe finds nothing in what a style sheet can change of the page that is open, as it looks now. */
export const auditLooks = async (page: Page, how: string): Promise<void> =>
  expect(await findViolations(page, { runOnly: LOOKS }), `${page.url()} ${how}`).toEqual([]);

/**
 * Expects that axe finds nothing in the page that is open, and that it is never wider than the screen. Looks on a phone in
 * dark and on a wide screen in light. The page needs scripts.
 */
export async function auditPage(page: Page): Promise<void> {
  const where = page.url();
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: 'dark' });
  const getWidth = () => page.evaluate('document.documentElement.scrollWidth');
  expect(await findViolations(page), `${where} on a phone, in dark`).toEqual([]);
  expect(await getWidth(), `${where} on a phone`).toBeLessThanOrEqual(PHONE.width);
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: 'light' });
  await auditLooks(page, 'on a wide screen, in light');
  expect(await getWidth(), `${where} on a wide screen`).toBeLessThanOrEqual(WIDE.width);
}

/** What a key press leads to, and what has no outline then. */
interface Reach {
  readonly missed: readonly string[];
  readonly unmarked: readonly string[];
}

/** In the page: what can be used, and what of it has had the focus. */
const WATCH_FOCUS = `
  const shown = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')].filter(
    (element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled,
  );
  const outlines = new Map();
  document.addEventListener('focusin', ({ target }) => outlines.set(target, getComputedStyle(target).outlineStyle));
  window.readFocus = () => ({
    missed: shown.filter((element) => !outlines.has(element)).map((element) => element.outerHTML),
    unmarked: shown.filter((element) => outlines.get(element) === 'none').map((element) => element.outerHTML),
  });
  shown.length + 3 * document.querySelectorAll('input[type=date]').length`;

/** Expects that the key Tab gets to all that can be used in the page that is open, and that one sees where it is. */
export async function expectKeyboardReaches(page: Page): Promise<void> {
  const stops = Number(await page.evaluate(WATCH_FOCUS));
  await Promise.all(Array.from({ length: stops + 1 }, () => page.keyboard.press('Tab')));
  const reach = (await page.evaluate('readFocus()')) as Reach;
  expect(reach, `the keyboard at ${page.url()}`).toEqual({ missed: [], unmarked: [] });
}
