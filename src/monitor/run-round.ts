import type { Slots } from './create-slots.ts';

/** How the probes of a round are spread in time. */
export interface RoundPlan {
  /** The probes start evenly over this many milliseconds, or over more when there are too many for it. */
  readonly spreadMs: number;
  /** Slots that this round shares with others; a probe waits for one. */
  readonly slots?: Slots | undefined;
}

/**
 * At least this time is between the starts of two probes, which is 5,000 a second. How many run at once is not limited: those that
 * hang would take the places of those that answer.
 */
const LEAST_GAP_MS = 0.2;

/** Waits, or until the signal aborts, with one listener for all the times: thousands of rounds wait for each of their probes. */
function createPause(signal: AbortSignal) {
  let wake = () => {};
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  return { pause, end: () => signal.removeEventListener('abort', onAbort) };
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
  probe: (target: T) => Promise<void> | undefined,
  onAllStarted: () => void = () => {},
): Promise<number> {
  const started = performance.now();
  const { spreadMs, slots } = plan;
  const gap = Math.max(spreadMs / Math.max(targets.length, 1), LEAST_GAP_MS);
  const { pause, end } = createPause(signal);
  let running = 0;
  let busyMs = 0;
  let busySince = 0;
  let onNoneRunning = () => {};

  const startProbe = async (target: T) => {
    if (running === 0) busySince = performance.now();
    running += 1;
    await probe(target);
    slots?.release();
    running -= 1;
    if (running > 0) return;
    busyMs += performance.now() - busySince;
    onNoneRunning();
  };

  for (const [i, target] of targets.entries()) {
    const wait = started + i * gap - performance.now();
    if (wait > 1 && !signal.aborted) await pause(wait);
    await slots?.acquire();
    if (signal.aborted) {
      slots?.release();
      break;
    }
    void startProbe(target);
  }
  end();
  onAllStarted();
  if (running > 0)
    await new Promise<void>((resolve) => {
      onNoneRunning = resolve;
    });
  return busyMs;
}
