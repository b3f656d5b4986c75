/**
 * Runs `work` with a signal that aborts when the outer one does, or after `timeoutMs`. Unlike `AbortSignal.any`, it
 * leaves nothing on an outer signal that lives as long as the program.
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
 * The value of `work`, or `late` if there is none after `ms`. Rejects if `work` fails before that; later failures are
 * ignored.
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

/** Waits at most `ms` for `work` to settle; resolves to whether it has. */
export function settleWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const ended = work.then(
    () => true,
    () => true,
  );
  return valueWithin(ms, ended, false);
}
