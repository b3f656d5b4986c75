import { formatDuration, QUARTER_MS } from '../../lib/duration.ts';
import type { Finding } from '../../model/verdict.ts';

/** Times of lines and of their reading may differ by this much although no clock is wrong. */
const TOLERATED_MS = 5_000;

/** Whether two clocks differ. */
export const isSkewed = (aheadMs: number): boolean => Math.abs(aheadMs) >= TOLERATED_MS;

/** By how much a difference is one of time zones: a whole number of quarters of an hour, else undefined. */
export function zoneMs(aheadMs: number): number | undefined {
  const quarters = Math.round(aheadMs / QUARTER_MS) * QUARTER_MS;
  return quarters !== 0 && !isSkewed(aheadMs - quarters) ? quarters : undefined;
}

/** A difference of clocks in words. */
export const formatSkew = (aheadMs: number): string =>
  `${formatDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;

/** What is wrong with the clock of a node; undefined when nothing is. */
export function describeSkew(aheadMs: number): Required<Finding> | undefined {
  if (!isSkewed(aheadMs)) return undefined;
  const zone = zoneMs(aheadMs);
  if (zone !== undefined)
    return {
      seen: `the times in its log are ${formatSkew(zone)} ours`,
      fix: 'correct timezone of its logFiles, or set its clock',
    };
  return { seen: `its clock is ${formatSkew(aheadMs)} ours`, fix: 'set its clock with chrony' };
}
