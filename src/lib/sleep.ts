import { setTimeout as wait } from 'node:timers/promises';

/** Waits, or until the signal aborts. Never rejects. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  wait(ms, undefined, { ...(signal && { signal }) }).catch(() => {});
