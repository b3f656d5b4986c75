import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects all garbage of the calling thread, and gives the pages that become free back to the system. Takes tens of milliseconds.
 * The flag is set for a moment only: a process that is started with it cannot use Node's own compiled code, and starts a third slower.
 * Does nothing while another thread takes the flag away.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined;
  setFlagsFromString('--no-expose-gc');
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** A start that is waited for takes less than this. */
const STARTED_MS = 200;

/** The same, when whoever waits for the start of the thread has been answered. */
export const collectGarbageSoon = (): void => {
  setTimeout(collectGarbage, STARTED_MS).unref();
};
