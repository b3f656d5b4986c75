/** As many runs as a restart has events: kill, die, stop, start, restart. */
const MOST = 5;
const WITHIN_MS = 1_000;

/**
 * Limits how often `run` is started: five times within a second, and five at once. Whatever is wanted beyond that is one run,
 * as soon as it may start. So a run always begins after the last call. `run` must not reject.
 */
export function limitRuns(run: () => Promise<unknown>): () => void {
  /** When the last runs began, the oldest first. */
  const begun: number[] = [];
  let running = 0;
  let isWanted = false;
  let timer: NodeJS.Timeout | undefined;
  const begin = async () => {
    isWanted = false;
    running += 1;
    begun.push(performance.now());
    if (begun.length > MOST) begun.shift();
    await run();
    running -= 1;
    if (isWanted) want();
  };
  const want = () => {
    isWanted = true;
    // The end of a run, or the timer, asks again.
    if (running >= MOST || timer !== undefined) return;
    const [oldest = 0] = begun;
    const waitMs = begun.length < MOST ? 0 : oldest + WITHIN_MS - performance.now();
    if (waitMs <= 0) return void begin();
    timer = setTimeout(() => {
      timer = undefined;
      if (isWanted) want();
    }, waitMs).unref();
  };
  return want;
}
