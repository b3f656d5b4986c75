/** SQLite is being written by another process. */
export const isBusy = (error: unknown): boolean =>
  (error as { code?: unknown } | undefined)?.code?.toString().startsWith('SQLITE_BUSY') === true;

const BUSY_FOR_MS = 5_000;
const TRY_AGAIN_MS = 25;

/**
 * Retries while SQLite is busy, for five seconds at most, then throws SQLite's error. SQLite itself would wait on the
 * event loop, on which probes are timed. `signal` ends the wait early.
 */
export async function whileBusy<T>(attempt: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
  let started: number | undefined;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      started ??= performance.now();
      if (!isBusy(error) || signal?.aborted || performance.now() - started > BUSY_FOR_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
    }
  }
}
