/** Waits, or until the signal aborts. */
export const sleep = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal?.aborted) done();
    signal?.addEventListener('abort', done, { once: true });
  });
