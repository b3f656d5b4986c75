import type { Slots } from '../../lib/promises.ts';

/** How the probes of a round are spread in time. */
export interface RoundPlan {
  /** The probes start evenly over this many milliseconds, or over more when there are too many for it. */
  readonly spreadMs: number;
  /** Slots that this round shares with others; a probe waits for one. */
  readonly slots?: Slots | undefined;
}

/**
 * The least time between the starts of two probes: at most 5,000 start in a second. How many run at once is not limited here, as
 * probes that hang would hold up those that are answered.
 */
const LEAST_GAP_MS = 0.2;

/**
 * Probes every target once. Resolves after the last probe to the milliseconds in which at least one was running,
 * without the deliberate spreading. Calls `onAllStarted` when the last probe has started. After the signal no further
 * probe starts. `probe` must not reject.
 */
export function runRound<T>(
  targets: readonly T[],
  plan: RoundPlan,
  signal: AbortSignal,
  probe: (target: T) => Promise<void> | undefined,
  onAllStarted: () => void = () => {},
): Promise<number> {
  const started = performance.now();
  const { spreadMs, slots } = plan;
  const gap = Math.max(spreadMs / Math.max(targets.length, 1), LEAST_GAP_MS);
  const { promise, resolve } = Promise.withResolvers<number>();
  let next = 0;
  /** One timer for all waits. Thousands of timers a second would each outlive collections of garbage. */
  let timer: NodeJS.Timeout | undefined;
  let isStarting = true;
  let running = 0;
  let busyMs = 0;
  let busySince = 0;

  const startProbe = async (target: T) => {
    if (running === 0) busySince = performance.now();
    running += 1;
    await probe(target);
    slots?.release();
    running -= 1;
    if (running > 0) return;
    busyMs += performance.now() - busySince;
    if (!isStarting) resolve(busyMs);
  };
  const startNext = () => {
    next += 1;
    void startProbe(targets[next - 1] as T);
  };

  /** Starts what is due, and waits for the rest. */
  const startDue = () => {
    while (next < targets.length && !signal.aborted) {
      if (started + next * gap - performance.now() > 1) {
        timer = timer?.refresh() ?? setTimeout(startDue, Math.ceil(gap));
        return;
      }
      const slot = slots?.acquire();
      if (slot !== undefined) {
        void slot.then(() => {
          if (signal.aborted) slots?.release();
          else startNext();
          startDue();
        });
        return;
      }
      startNext();
    }
    if (!isStarting) return;
    isStarting = false;
    clearTimeout(timer);
    signal.removeEventListener('abort', startDue);
    onAllStarted();
    if (running === 0) resolve(busyMs);
  };

  signal.addEventListener('abort', startDue);
  startDue();
  return promise;
}
