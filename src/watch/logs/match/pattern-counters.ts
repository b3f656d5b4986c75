import type { PatternFacts } from '../../../model/facts.ts';
import { LINES_LOST, type LogHit, type LogPattern, type Meaning } from '../../../model/log.ts';
import type { Pattern } from '../../../model/target.ts';

/** How late a flood of lines without a time may be read. A match later than that belongs to the new run. */
const LAG_MS = 60_000;

/** A line about the end of a program comes so soon after the one that says why. */
const AFTERMATH_MS = 1_000;

/**
 * Counts hits per pattern of a pack and of an operator's own; nothing is copied until `read`. A pattern has no entry before its
 * first hit.
 */
export function createPatternCounters(pack: readonly LogPattern[], own: readonly Pattern[]) {
  const known = new Map<string, Pick<PatternFacts, 'what' | 'fix' | 'own'>>();
  const what = 'Docker threw lines away before they were read';
  known.set(LINES_LOST, { what, fix: 'give its log more room', own: false });
  for (const { name, what, fix } of pack) known.set(name, { what, fix, own: false });
  for (const { name, means } of own)
    known.set(name, { what: `a pattern of the inventory that means ${means}`, own: true });
  const entries = new Map<string, { means: Meaning; count: number; at: number; order: number }>();
  const aftermath = new Set(pack.filter(({ isAftermath }) => isAftermath).map(({ name }) => name));
  let order = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  return {
    add: ({ pattern, means, at, counted }: LogHit) => {
      order++;
      const isTold = aftermath.has(pattern) && at - failedAt < AFTERMATH_MS;
      if (means === 'error' || means === 'fatal') failedAt = at;
      // It adds nothing to that line, and as the newest one it would take its place.
      if (isTold) return;
      const more = Number(counted);
      const entry = entries.get(pattern);
      if (entry === undefined) {
        entries.set(pattern, { means, count: more, at, order });
        return;
      }
      entry.count += more;
      entry.at = Math.max(entry.at, at);
      entry.order = order;
    },
    /** The program started at this time: matches read until now belong to the run before, however late they were read. */
    startAt: (at: number) => {
      for (const entry of entries.values()) if (entry.at > at && entry.at - at < LAG_MS) entry.at = at - 1;
    },
    read: (): Readonly<Record<string, PatternFacts>> =>
      Object.fromEntries(
        [...entries].map(([name, entry]) => [name, { ...entry, ...(known.get(name) ?? { what: name, own: false }) }]),
      ),
  };
}
