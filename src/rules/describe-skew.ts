import { formatDuration, QUARTER_MS } from '../model/duration.ts';
import type { LogFacts } from '../model/facts.ts';
import type { Finding } from '../model/verdict.ts';

/** Times of lines and of their reading may differ by this much although no clock is wrong. */
const TOLERATED_MS = 5_000;

/** What is wrong with the clock of a node; undefined when nothing is. */
export function describeSkew({ clockAheadMs = 0 }: LogFacts): Required<Finding> | undefined {
  const skewMs = Math.abs(clockAheadMs);
  if (skewMs < TOLERATED_MS) return undefined;
  const side = clockAheadMs > 0 ? 'ahead of' : 'behind';
  const quarters = Math.round(skewMs / QUARTER_MS);
  if (quarters > 0 && Math.abs(skewMs - quarters * QUARTER_MS) < TOLERATED_MS)
    return {
      seen: `the times in its log are ${formatDuration(quarters * QUARTER_MS)} ${side} ours`,
      fix: 'correct timezone of its logFiles, or set its clock',
    };
  return { seen: `its clock is ${formatDuration(skewMs)} ${side} ours`, fix: 'set its clock with chrony' };
}
