import type { Page, Request } from 'playwright-core';
import type { PageObservation } from '../../model/observation.ts';

type NoPage = (PageObservation & { kind: 'no-page' })['why'];

/** Observes a page during a visit. */
export interface PageWatch {
  /** Resolves when the page exceeds a limit or crashes, so that the visit can end. */
  readonly over: Promise<NoPage>;
  /** No request is pending, and nothing has happened for this long. */
  isQuiet(forMs: number): boolean;
  /** Age of the oldest pending request, in milliseconds. */
  oldestWaitMs(): number;
  /** The counts. A request that has been pending for at least `hungAfterMs` counts as failed. */
  count(hungAfterMs: number): Extract<PageObservation, { kind: 'visited' }>;
}

const MAX_DIALOGS = 10;
const MAX_POPUPS = 10;
const MAX_NAVIGATIONS = 25;
const MAX_REQUESTS = 5_000;
const MAX_EVENTS = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Request types that a page waits for. Streams that stay open by design are not among them. */
const AWAITED = new Set(['document', 'script', 'stylesheet', 'xhr', 'fetch']);

/** Browsers request it by themselves, and a page may well lack one. */
const isFavicon = (url: string): boolean => URL.parse(url)?.pathname === '/favicon.ico';

/**
 * Observes a page from before it is opened. Only numbers leave, no text of the page. Everything that a page could do
 * endlessly is limited: dialogs, popups, navigations, requests, messages, bytes.
 */
export async function watchPage(page: Page): Promise<PageWatch> {
  const { promise: over, resolve: end } = Promise.withResolvers<NoPage>();
  const failed = new Set<string>();
  const repeated: string[] = [];
  const pending = new Map<Request, number>();
  const counts = { consoleErrors: 0, exceptions: 0, failedRequests: 0 };
  const totals = { dialogs: 0, popups: 0, navigations: 0, requests: 0, events: 0, bytes: 0 };
  let lastAt = performance.now();

  const bump = (what: keyof typeof totals, most: number, why: NoPage, by = 1): void => {
    totals[what] += by;
    lastAt = performance.now();
    if (totals[what] > most) end(why);
  };
  const event = () => bump('events', MAX_EVENTS, 'too-large');

  const failRequest = (request: Request): void => {
    if (isFavicon(request.url())) return;
    counts.failedRequests += 1;
    if (failed.size < MAX_EVENTS) failed.add(request.url());
  };
  const settle = (request: Request): void => {
    lastAt = performance.now();
    pending.delete(request);
  };

  page.on('request', (request) => {
    bump('requests', MAX_REQUESTS, 'too-large');
    if (AWAITED.has(request.resourceType())) pending.set(request, performance.now());
    if (request.isNavigationRequest() && request.frame() === page.mainFrame())
      bump('navigations', MAX_NAVIGATIONS, 'redirects');
  });
  page.on('response', (response) => {
    if (response.status() >= 400) failRequest(response.request());
  });
  page.on('requestfinished', settle);
  page.on('requestfailed', (request) => {
    settle(request);
    // The page itself cancelled this request, for example by navigating.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') failRequest(request);
  });
  page.on('console', (message) => {
    event();
    if (message.type() !== 'error' && message.type() !== 'assert') return;
    const { url } = message.location();
    if (!message.text().startsWith('Failed to load resource:')) counts.consoleErrors += 1;
    else if (!isFavicon(url) && repeated.length < MAX_EVENTS) repeated.push(url);
  });
  page.on('pageerror', () => {
    event();
    counts.exceptions += 1;
  });
  page.on('dialog', (dialog) => {
    bump('dialogs', MAX_DIALOGS, 'dialogs');
    void dialog.dismiss().catch(() => {});
  });
  page.on('crash', () => end('crashed'));
  page.context().on('page', (popup) => {
    if (popup === page) return;
    bump('popups', MAX_POPUPS, 'dialogs');
    void popup.close().catch(() => {});
  });
  const session = await page.context().newCDPSession(page);
  session.on('Network.dataReceived', ({ dataLength }) => bump('bytes', MAX_BYTES, 'too-large', dataLength));
  await session.send('Network.enable');

  const pendingMs = (): readonly number[] => [...pending.values()].map((since) => performance.now() - since);
  return {
    over,
    isQuiet: (forMs) => pending.size === 0 && performance.now() - lastAt >= forMs,
    oldestWaitMs: () => Math.max(0, ...pendingMs()),
    count: (hungAfterMs) => ({
      kind: 'visited',
      ...counts,
      consoleErrors: counts.consoleErrors + repeated.filter((url) => !failed.has(url)).length,
      failedRequests: counts.failedRequests + pendingMs().filter((ms) => ms >= hungAfterMs).length,
    }),
  };
}
