import type { PlatformStore } from '../model/platform-store.ts';
import type { Caller } from './credentials.ts';
import { endsSoon } from './manage-keys.ts';
import type { RequestContext } from './request-context.ts';

const TOUCH_EVERY_MS = 60_000;
const WARN_EVERY_MS = 24 * 60 * 60 * 1_000;

/** The header that names the end of a key (ISO 8601) in the week before it. */
const KEY_END_HEADER = 'api-key-expires';

/** What follows from the use of a key, apart from the answer itself. `now` is in Unix milliseconds. */
export function createKeyUses(now: () => number) {
  const touched = new Map<number, number>();
  const warned = new Map<number, number>();
  const isDue = (times: Map<number, number>, keyId: number, everyMs: number): boolean => {
    const at = now();
    const passed = at - (times.get(keyId) ?? 0);
    // Less than nothing passes where the clock was set back.
    if (passed >= 0 && passed < everyMs) return false;
    times.set(keyId, at);
    return true;
  };
  /**
   * Records the last use at most once a minute; nothing waits for it. In the last week of a key each answer names its end, and
   * the security log does so once a day.
   */
  return (store: PlatformStore, context: RequestContext, caller: Caller | undefined): void => {
    if (caller?.keyId === undefined) return;
    const { keyId, keyEndsAt } = caller;
    if (isDue(touched, keyId, TOUCH_EVERY_MS))
      store.touchKey(keyId, new Date(now()).toISOString(), context.address || null).catch(() => {});
    if (keyEndsAt === undefined || !endsSoon(keyEndsAt, now())) return;
    context.headers = { ...context.headers, [KEY_END_HEADER]: keyEndsAt };
    if (isDue(warned, keyId, WARN_EVERY_MS)) context.record('key ends soon', { caller });
  };
}
