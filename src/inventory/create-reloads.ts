/** Reloads the inventory for a reason; resolves to its errors, none if it is good. Never rejects. */
export type Reload = (why: string) => Promise<readonly string[]>;

/**
 * Runs reloads one after another. A reload that has not started yet will read the latest file, so it serves every
 * caller that waits.
 */
export function createReloads(reloadNow: Reload): Reload {
  let last: Promise<unknown> = Promise.resolve();
  let waiting: Promise<readonly string[]> | undefined;
  return (why) => {
    if (waiting !== undefined) return waiting;
    const next = last.then(() => {
      waiting = undefined;
      return reloadNow(why);
    });
    waiting = next;
    last = next;
    return next;
  };
}
