import type { Slots } from './create-slots.ts';

/** How a round's looks are laid out in time. */
export interface RoundPlan {
  /** The looks begin evenly over this many milliseconds; 0 begins all at once. */
  readonly spreadMs: number;
  /** At most this many looks are under way at once. */
  readonly concurrency: number;
  /** Places that this round shares with others; a look begins when it has one. */
  readonly slots?: Slots | undefined;
}

/** Ends early when the signal fires; keeps no timer behind. */
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
 * Looks at every target once, and resolves when the last look has ended to the milliseconds in which at least one was
 * under way: the deliberate spreading is not counted. `onAllBegun` is called when the last look has begun. When the signal
 * fires no further look begins. `look` must not reject.
 */
export async function runRound<T>(
  targets: readonly T[],
  plan: RoundPlan,
  signal: AbortSignal,
  look: (target: T) => Promise<void>,
  onAllBegun: () => void = () => {},
): Promise<number> {
  const started = performance.now();
  const gap = plan.spreadMs / Math.max(targets.length, 1);
  let running = 0;
  let busyMs = 0;
  let busySince = 0;
  let wake = () => {};

  const begin = async (target: T) => {
    if (running === 0) busySince = performance.now();
    running += 1;
    await look(target);
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
    await plan.slots?.take();
    if (signal.aborted) {
      plan.slots?.free();
      break;
    }
    void begin(target).finally(() => plan.slots?.free());
  }
  onAllBegun();
  while (running > 0) await slotFree();
  return busyMs;
}
