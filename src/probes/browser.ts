import type { BrowserContext, Browser as Chromium } from 'playwright-core';
import { readCredentials } from '../model/credentials.ts';
import type { PageObservation } from '../model/observation.ts';
import type { BrowserRef } from '../model/target.ts';
import { settleWithin, valueWithin } from '../model/within.ts';
import { type Started, startBrowser } from './start-browser.ts';
import { visitPage } from './visit-page.ts';

/** One browser that visits pages, one after the other or several at once. */
export interface Browser {
  /**
   * Visits a page whose own addresses are `own`; never rejects, takes little more than `timeoutMs` at most, and ends when the
   * signal aborts.
   */
  visit(url: string, own: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<PageObservation>;
  /** Ends it with all its processes; visits under way end too. */
  stop(): Promise<void>;
}

/** A browser grows; one that has made this many visits is replaced when nobody visits. */
const MAX_VISITS = 100;
/** The page ends itself at the deadline; one that cannot is cut off this much later. */
const LOOK_AFTER_MS = 500;
/** What does not end by itself within this is killed. */
const END_WITHIN_MS = 1_000;

/** Ends the browser; one that hangs is killed, with its group of processes. A browser elsewhere is only left. */
async function end(browser: Chromium, pid: number | undefined): Promise<void> {
  if ((await settleWithin(END_WITHIN_MS, browser.close())) || pid === undefined) return;
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Takes user info out of the address: it goes to that origin alone, and never into the page's own address. */
function toAddress(url: string): { readonly address: string; readonly credentials: object } {
  const parsed = new URL(url);
  const known = readCredentials(parsed);
  parsed.username = '';
  parsed.password = '';
  if (known === undefined) return { address: parsed.href, credentials: {} };
  const [username, password] = [known.username.toString(), known.password.toString()];
  return { address: parsed.href, credentials: { httpCredentials: { username, password, origin: parsed.origin } } };
}

const noBrowser = (why: (PageObservation & { kind: 'no-browser' })['why']): PageObservation => ({
  kind: 'no-browser',
  why,
});

/** Prepares a browser, which starts with the first visit and again whenever it has died. */
export function createBrowser(ref: BrowserRef): Browser {
  let current: Promise<Started> | undefined;
  let visits = 0;
  let underWay = 0;
  let stopped = false;

  const discard = async (): Promise<void> => {
    const discarded = current;
    current = undefined;
    visits = 0;
    const ended = discarded?.then((started) => (started.ok ? end(started.browser, started.pid) : undefined));
    // One that is still starting ends as soon as it has started.
    if (ended) await settleWithin(2 * END_WITHIN_MS, ended);
  };

  const start = (timeoutMs: number): Promise<Started> => {
    if (current !== undefined) return current;
    const starting = startBrowser(ref, timeoutMs);
    current = starting;
    void starting.then((started) => {
      const forget = () => {
        if (current === starting) current = undefined;
      };
      if (started.ok && started.browser.isConnected()) started.browser.on('disconnected', forget);
      else forget();
    });
    return starting;
  };

  const leave = async (context: BrowserContext): Promise<void> => {
    if (!(await settleWithin(END_WITHIN_MS, context.close()))) await discard();
  };

  const visit = async (
    url: string,
    own: readonly string[],
    deadline: number,
    signal: AbortSignal | undefined,
    retry = true,
  ): Promise<PageObservation> => {
    if (signal?.aborted) return noBrowser('died');
    const left = (): number => deadline - performance.now();
    const started = await valueWithin(left(), start(Math.max(1, left())), 'late');
    if (started === 'late') return noBrowser('timeout');
    if (!started.ok) return noBrowser(started.why);
    visits += 1;
    const { address, credentials } = toAddress(url);
    const opening = started.browser.newContext({ acceptDownloads: false, serviceWorkers: 'block', ...credentials });
    const context = await valueWithin(left(), opening, 'late').catch(() => 'died' as const);
    if (context === 'late' || context === 'died') {
      await discard();
      // A browser that has ended since its last visit is started anew.
      return context === 'died' && retry && !stopped ? visit(url, own, deadline, signal, false) : noBrowser('timeout');
    }
    const onAbort = () => void context.close().catch(() => undefined);
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
    try {
      const seen = await valueWithin(left() + LOOK_AFTER_MS, visitPage(context, address, own, deadline), 'late');
      await leave(context);
      return seen === 'late' ? { kind: 'no-page', why: 'timeout' } : seen;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  };

  return {
    visit: async (url, own, timeoutMs, signal) => {
      if (stopped) return noBrowser('died');
      if (visits >= MAX_VISITS && underWay === 0) await discard();
      underWay += 1;
      try {
        return await visit(url, own, performance.now() + timeoutMs, signal);
      } catch {
        return noBrowser('died');
      } finally {
        underWay -= 1;
        // It may have started while it was told to stop.
        if (stopped) await discard();
      }
    },
    stop: async () => {
      stopped = true;
      await discard();
    },
  };
}
