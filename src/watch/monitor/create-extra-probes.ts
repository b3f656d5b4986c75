import { SERVICE_START_MS } from '../../model/restart-cause.ts';
import type { Target } from '../../model/target.ts';

/** How long after a start a service is probed: as soon as it may answer, once more, and when its time to start is over. */
const PROBED_AFTER_MS: readonly number[] = [1_000, SERVICE_START_MS / 2, SERVICE_START_MS + 500];

/** A service that has just failed is probed this soon again. The second time confirms its failure, which takes 16 s, a moment late or not. */
const AGAIN_MS = 8_500;

/** For so long, so that its end shows as soon. */
const AGAIN_FOR_MS = 120_000;

/**
 * Calls `probe` for a target that has started, `PROBED_AFTER_MS` after its last start, and for one that fails, `AGAIN_MS` later. Its
 * rounds are too rare: for up to half a minute they show what was before.
 */
export function createExtraProbes(probe: (target: Target) => void) {
  const timers = new Map<Target, NodeJS.Timeout>();
  const wait = (target: Target, [next, ...later]: readonly number[], waitedMs = 0) => {
    clearTimeout(timers.get(target));
    timers.delete(target);
    if (next === undefined) return;
    const onTime = () => {
      wait(target, later, next);
      probe(target);
    };
    timers.set(target, setTimeout(onTime, next - waitedMs));
  };
  return {
    started: (target: Target) => wait(target, PROBED_AFTER_MS),
    /** A probe of a target has failed, as all have for `lastedMs`. After a start it is probed again anyway. */
    failed: (target: Target, lastedMs: number) => {
      if (lastedMs < AGAIN_FOR_MS && !timers.has(target)) wait(target, [AGAIN_MS]);
    },
    stop: () => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
