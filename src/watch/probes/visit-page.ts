import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext } from 'playwright-core';
import type { PageObservation } from '../../model/observation.ts';
import { type PageWatch, watchPage } from './page-watch.ts';

/** Host names that are never public. */
const LOCAL = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa|test|invalid|example)$/;

const hostOf = (url: string): string => URL.parse(url)?.hostname.toLowerCase() ?? '';

/** The owner of a host name, approximated by its last two labels. */
const ownerOf = (host: string): string => host.split('.').slice(-2).join('.');

/**
 * Is the request for a foreign host: a public name that is unrelated to the page and to the inventory's addresses
 * (`own`)? IP addresses and local names are never foreign.
 */
function isForeignHost(request: string, page: string, own: readonly string[]): boolean {
  const host = hostOf(request);
  if (!/^https?:/i.test(request) || !host.includes('.') || isIP(host.replace(/^\[|\]$/g, '')) !== 0) return false;
  if (LOCAL.test(host)) return false;
  return ![page, ...own].some((url) => ownerOf(hostOf(url)) === ownerOf(host));
}

type NoPage = PageObservation & { kind: 'no-page' };

const noPage = (why: NoPage['why']): NoPage => ({ kind: 'no-page', why });

/** A page that keeps polling is not waited for longer, as long as its requests are answered. */
const SETTLE_MS = 5_000;
const QUIET_MS = 1_000;
const POLL_MS = 100;

/** Maps messages of Chromium and Playwright to why a page did not open. */
function toWhy({ message, name }: Error): NoPage['why'] {
  if (name === 'TimeoutError') return 'timeout';
  if (message.includes('ERR_TOO_MANY_REDIRECTS')) return 'redirects';
  if (message.includes('Download is starting') || message.includes('ERR_ABORTED')) return 'no-html';
  if (message.includes('crashed')) return 'crashed';
  return 'unreachable';
}

/** Waits until no request is pending and the page is quiet. */
async function settle(watch: PageWatch, deadline: number): Promise<void> {
  const started = performance.now();
  while (performance.now() < deadline) {
    if (watch.isQuiet(QUIET_MS)) return;
    if (performance.now() - started >= SETTLE_MS && watch.oldestWaitMs() < SETTLE_MS) return;
    await sleep(POLL_MS);
  }
}

/**
 * Opens a page in a fresh context and counts errors, until it is quiet or the deadline passes, in milliseconds of
 * `performance.now()`. Styles and fonts of foreign hosts are answered empty and never requested: the stock page wants a
 * font from the internet, which many monitors cannot reach. Rejects when the browser is gone.
 */
export async function visitPage(
  context: BrowserContext,
  address: string,
  own: readonly string[],
  deadline: number,
): Promise<PageObservation> {
  const hungAfterMs = Math.min(SETTLE_MS, (deadline - performance.now()) / 2);
  const isDecoration = (type: string): boolean => type === 'stylesheet' || type === 'font';
  await context.route(
    (url) => isForeignHost(url.href, address, own),
    (route) =>
      isDecoration(route.request().resourceType())
        ? route.fulfill({ status: 200, headers: { 'access-control-allow-origin': '*' }, body: '' })
        : route.continue(),
  );
  const page = await context.newPage();
  const watch = await watchPage(page);

  const open = async (): Promise<PageObservation> => {
    const response = await page
      .goto(address, { waitUntil: 'load', timeout: Math.max(1, deadline - performance.now()) })
      .catch((error: Error) => error);
    if (response instanceof Error) {
      if (page.isClosed() || context.browser()?.isConnected() === false) throw response;
      return noPage(toWhy(response));
    }
    const status = response?.status() ?? 200;
    if (status >= 400) return { ...noPage('status'), status };
    await settle(watch, deadline);
    return watch.count(hungAfterMs);
  };
  return Promise.race([open(), watch.over.then(noPage)]);
}
