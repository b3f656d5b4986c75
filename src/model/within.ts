/**
 * Does something with a signal that aborts when the outer one does, or after so many milliseconds. Nothing stays behind on
 * the outer signal, as it would with `AbortSignal.any` on one that lives as long as the program.
 */
export async function within<T>(
  outer: AbortSignal | undefined,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inner = new AbortController();
  const abort = () => inner.abort();
  const timer = setTimeout(abort, timeoutMs);
  outer?.addEventListener('abort', abort);
  if (outer?.aborted) abort();
  try {
    return await work(inner.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', abort);
  }
}

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
