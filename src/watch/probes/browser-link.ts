import { isDeepStrictEqual } from 'node:util';
import { type Loaded, loadOnce } from '../../lib/promises.ts';
import type { PageObservation } from '../../model/observation.ts';
import type { BrowserRef } from '../../model/target.ts';
import type { Browser } from './browser.ts';

/** The browsers of the monitor: one for all targets with the same settings, started at the first visit. */
export interface BrowserLink {
  use(ref: BrowserRef): BrowserUse;
}

/** A user's share of a browser, which stops when the last user releases it. */
export interface BrowserUse {
  /**
   * Visits a page; `own` are addresses that belong to the subnet. Never rejects; ends after `timeoutMs` or when the
   * signal aborts.
   */
  visit(url: string, own: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<PageObservation>;
  release(): Promise<void>;
}

interface Shared {
  readonly ref: BrowserRef;
  readonly browser: Loaded<Browser>;
  users: number;
}

export function createBrowserLink(): BrowserLink {
  let shared: readonly Shared[] = [];

  return {
    use: (ref) => {
      const known = shared.find((one) => isDeepStrictEqual(one.ref, ref));
      // playwright-core takes long to load, and few inventories need a browser.
      const load = async () => (await import('./browser.ts')).createBrowser(ref);
      const entry: Shared = known ?? { ref, browser: loadOnce(load), users: 0 };
      if (known === undefined) shared = [...shared, entry];
      entry.users += 1;
      return {
        visit: async (url, own, timeoutMs, signal) => (await entry.browser.get()).visit(url, own, timeoutMs, signal),
        release: async () => {
          entry.users -= 1;
          if (entry.users > 0) return;
          shared = shared.filter((one) => one !== entry);
          await (await entry.browser.started())?.stop();
        },
      };
    },
  };
}
