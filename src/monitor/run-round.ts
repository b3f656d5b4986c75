import type { Slots } from './create-slots.ts';

/** How the probes of a round are spread in time. */
export interface RoundPlan {
  /** The probes start evenly over this many milliseconds; 0 starts all at once. */
  readonly spreadMs: number;
  /** At most this many probes run at once. */
  readonly concurrency: number;
  /** Slots that this round shares with others; a probe waits for one. */
  readonly slots?: Slots | undefined;
}

/** Ends early when the signal fires, and leaves no timer. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}

/**
 * Probes every target once. Resolves after the last probe to the milliseconds in which at least one was running,
 * without the deliberate spreading. Calls `onAllStarted` when the last probe has started. After the signal no further
 * probe starts. `probe` must not reject.
 */
export async function runRound<T>(
  targets: readonly T[],
  plan: RoundPlan,
  signal: AbortSignal,
  probe: (target: T) => Promise<void>,
  onAllStarted: () => void = () => {},
): Promise<number> {
  const started = performance.now();
  const gap = plan.spreadMs / Math.max(targets.length, 1);
  let running = 0;
  let busyMs = 0;
  let busySince = 0;
  let wake = () => {};

  const startProbe = async (target: T) => {
    if (running === 0) busySince = performance.now();
    running += 1;
    await probe(target);
    running -= 1;
    if (running === 0) busyMs += performance.now() - busySince;
    wake();
  };
  const slotFree = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });

  for (const [i, target] of targets.entries()) {
    const wait = started + i * gap - performance.now();
    if (wait > 1) await sleep(wait, signal);
    while (running >= plan.concurrency) await slotFree();
    await plan.slots?.acquire();
    if (signal.aborted) {
      plan.slots?.release();
      break;
    }
    void startProbe(target).finally(() => plan.slots?.release());
  }
  onAllStarted();
  while (running > 0) await slotFree();
  return busyMs;
}
