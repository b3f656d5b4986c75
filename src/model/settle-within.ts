/**
 * The value of something, or `late` when there is none after so many milliseconds. Rejects when it fails before; what
 * fails later is ignored.
 */
export async function valueWithin<T, const Late>(ms: number, work: Promise<T>, late: Late): Promise<T | Late> {
  const { promise, resolve } = Promise.withResolvers<Late>();
  const timer = setTimeout(() => resolve(late), Math.max(0, ms));
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for the end of something, whichever it is, for at most so many milliseconds; resolves to whether it has ended. */
export function settleWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const ended = work.then(
    () => true,
    () => true,
  );
  return valueWithin(ms, ended, false);
}
