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
