import { isDeepStrictEqual } from 'node:util';
import { type Loaded, loadOnce } from '../model/load-once.ts';
import type { PageObservation } from '../model/observation.ts';
import type { BrowserRef } from '../model/target.ts';
import type { Browser } from './browser.ts';

/** Browsers as the monitor uses them: loaded and started with the first visit, one for all that name the same. */
export interface BrowserLink {
  use(ref: BrowserRef): BrowserUse;
}

/** One user's hold on a browser, which ends when the last one has let go. */
export interface BrowserUse {
  /** Visits a page whose own addresses are `own`; never rejects, and is bounded by `timeoutMs` and the signal. */
  visit(url: string, own: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<PageObservation>;
  release(): Promise<void>;
}

interface Shared {
  readonly ref: BrowserRef;
  readonly browser: Loaded<Browser>;
  users: number;
}

/** No browser yet. */
export function createBrowserLink(): BrowserLink {
  let shared: readonly Shared[] = [];

  return {
    use: (ref) => {
      const known = shared.find((one) => isDeepStrictEqual(one.ref, ref));
      // playwright-core takes long to load, and few inventories name a browser.
      const load = async () => (await import('./browser.ts')).createBrowser(ref);
      const held: Shared = known ?? { ref, browser: loadOnce(load), users: 0 };
      if (known === undefined) shared = [...shared, held];
      held.users += 1;
      return {
        visit: async (url, own, timeoutMs, signal) => (await held.browser.get()).visit(url, own, timeoutMs, signal),
        release: async () => {
          held.users -= 1;
          if (held.users > 0) return;
          shared = shared.filter((one) => one !== held);
          await (await held.browser.started())?.stop();
        },
      };
    },
  };
}
