import { extname } from 'node:path';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Does an error of a stream mean that nobody reads it any more? A terminal that was closed answers EIO, and a pipe EPIPE. */
export const isUnread = ({ code }: NodeJS.ErrnoException, isTerminal: boolean): boolean =>
  code === 'EPIPE' || (code === 'EIO' && isTerminal);

/** A file that is installed with subnetd, by its path from the root. The built program lies as deep below the root as this file. */
export const ownFile = (path: string): URL => new URL(`../../${path}`, import.meta.url);

/** The address of a thread's program, which lies beside the file at `starter`: in TypeScript, or in the built program as JavaScript. */
export const toWorkerUrl = (name: string, starter: string): URL => new URL(`./${name}${extname(starter)}`, starter);

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

/** By then a start is over, and most of what it needed is garbage. */
const STARTED_MS = 3_000;

/** A larger heap takes too long to collect at once, and is soon collected in steps. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Collects all garbage of the calling thread when its start is over, if its heap is small. */
export const collectGarbageSoon = (): void => {
  setTimeout(() => {
    if (getHeapStatistics().used_heap_size <= MOST_BYTES) collectGarbage();
  }, STARTED_MS).unref();
};
