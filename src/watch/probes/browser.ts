import type { BrowserContext } from 'playwright-core';
import { readCredentials } from '../../lib/addresses.ts';
import { settleWithin, valueWithin } from '../../lib/promises.ts';
import type { PageObservation } from '../../model/observation.ts';
import type { BrowserRef } from '../../model/target.ts';
import { removeFolder, type Started, startBrowser } from './start-browser.ts';
import { visitPage } from './visit-page.ts';

/** A browser that visits pages, also several at once. */
export interface Browser {
  /**
   * Visits a page; `own` are addresses that belong to the subnet. Never rejects; ends soon after `timeoutMs`, or when
   * the signal aborts.
   */
  visit(url: string, own: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<PageObservation>;
  /** Stops the browser with all its processes, and every visit in progress. */
  stop(): Promise<void>;
}

/** Browsers grow. After this many visits one is replaced as soon as it is idle. */
const MAX_VISITS = 100;
/** A visit ends itself at the deadline; one that hangs is aborted this much later. */
const GRACE_MS = 500;
/** A browser that does not close within this time is killed. */
const CLOSE_WITHIN_MS = 1_000;

/** Closes the browser; a hanging one is killed with its process group. A remote browser is only disconnected. */
async function end({ browser, pid, folder }: Extract<Started, { ok: true }>): Promise<void> {
  if (!(await settleWithin(CLOSE_WITHIN_MS, browser.close())) && pid !== undefined)
    for (const target of [-pid, pid]) {
      try {
        process.kill(target, 'SIGKILL');
      } catch {
        // It has ended in the meantime.
      }
    }
  await removeFolder(folder);
}

/** Removes the user info from an address; the credentials go to that origin only. */
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

/** Starts the browser at the first visit, and again whenever it has died. */
export function createBrowser(ref: BrowserRef): Browser {
  let current: Promise<Started> | undefined;
  let visits = 0;
  /** The last page did not open, which may be the fault of the browser: one without its helpers opens none any more. */
  let isSuspect = false;
  /** Was the last browser killed because a page had it send too much? */
  let isFlooded = () => false;
  let running = 0;
  let stopped = false;

  const discard = async (): Promise<void> => {
    const discarded = current;
    current = undefined;
    visits = 0;
    isSuspect = false;
    const ended = discarded?.then((started) => (started.ok ? end(started) : undefined));
    // A browser that is still starting is closed as soon as it has started.
    if (ended) await settleWithin(2 * CLOSE_WITHIN_MS, ended);
  };

  const start = (timeoutMs: number): Promise<Started> => {
    if (current !== undefined) return current;
    const starting = startBrowser(ref, timeoutMs);
    current = starting;
    void starting.then((started) => {
      const forget = () => {
        if (current !== starting) return;
        current = undefined;
        if (started.ok) void removeFolder(started.folder);
      };
      isFlooded = (started.ok && started.isFlooded) || (() => false);
      if (started.ok && started.browser.isConnected()) started.browser.on('disconnected', forget);
      else forget();
    });
    return starting;
  };

  const closeContext = async (context: BrowserContext): Promise<void> => {
    if (!(await settleWithin(CLOSE_WITHIN_MS, context.close()))) await discard();
  };

  const visit = async (
    url: string,
    own: readonly string[],
    deadline: number,
    signal: AbortSignal | undefined,
    retry = true,
  ): Promise<PageObservation> => {
    if (signal?.aborted) return noBrowser('died');
    const remaining = (): number => deadline - performance.now();
    const started = await valueWithin(remaining(), start(Math.max(1, remaining())), 'late');
    if (started === 'late') return noBrowser('timeout');
    if (!started.ok) return noBrowser(started.why);
    visits += 1;
    const { address, credentials } = toAddress(url);
    const opening = started.browser.newContext({ acceptDownloads: false, serviceWorkers: 'block', ...credentials });
    const context = await valueWithin(remaining(), opening, 'late').catch(() => 'died' as const);
    if (context === 'late' || context === 'died') {
      await discard();
      // A browser that ended after its last visit is started again.
      return context === 'died' && retry && !stopped ? visit(url, own, deadline, signal, false) : noBrowser('timeout');
    }
    const onAbort = () => void context.close().catch(() => undefined);
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
    try {
      const observed = await valueWithin(remaining() + GRACE_MS, visitPage(context, address, own, deadline), 'late');
      await closeContext(context);
      return observed === 'late' ? { kind: 'no-page', why: 'timeout' } : observed;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  };

  return {
    visit: async (url, own, timeoutMs, signal) => {
      if (stopped) return noBrowser('died');
      if ((visits >= MAX_VISITS || isSuspect) && running === 0) await discard();
      running += 1;
      try {
        const seen = await visit(url, own, performance.now() + timeoutMs, signal);
        isSuspect = seen.kind === 'no-page' && (seen.why === 'timeout' || seen.why === 'crashed');
        return seen;
      } catch {
        // Of several pages it is not known which one it was.
        return isFlooded() && running === 1 ? { kind: 'no-page', why: 'too-large' } : noBrowser('died');
      } finally {
        running -= 1;
        // It may have started while it was being stopped.
        if (stopped) await discard();
      }
    },
    stop: async () => {
      stopped = true;
      await discard();
    },
  };
}
