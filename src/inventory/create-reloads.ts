/** Reloads the inventory because of something; resolves to its errors, of which a good one has none. Never rejects. */
export type Reload = (why: string) => Promise<readonly string[]>;

/**
 * Reloads that run one after another. One that has not begun yet reads the file as it is then, so it serves everybody who
 * asks meanwhile.
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
