/**
 * Collects all garbage of the calling thread, and gives the pages that become free back to the system. Takes tens of milliseconds.
 * Does nothing in a process that was not started with `--expose-gc`, as bin/subnetd does.
 */
export const collectGarbage = (): void => {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
};
