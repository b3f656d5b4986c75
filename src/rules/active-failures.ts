import type { Target } from '../model/target.ts';
import { type Evidence, failuresOf, type KnownFailure } from './known-failures.ts';

/** A failure is over once the program has run this long without a sign of it. */
export const QUIET_MS = 10 * 60 * 1000;

/**
 * The known failures of a target at `now`. A failure lasts until the target has run for ten minutes since its last sign, and
 * as long as its container does not run.
 */
export function activeFailures(target: Target, evidence: Evidence, now: number): readonly KnownFailure[] {
  const { observation } = evidence.container ?? {};
  const container = observation?.kind === 'found' ? observation.container : undefined;
  return failuresOf(target).filter((failure) => {
    const seenAt = failure.seenAt(evidence, now);
    if (seenAt === undefined) return false;
    if (container && !container.running) return true;
    // A start in the future means that the clocks differ.
    const quietSince = Math.max(seenAt, Math.min(container?.startedAt ?? 0, now));
    return now - quietSince < QUIET_MS;
  });
}
