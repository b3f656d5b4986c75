import type { Clock } from '../../lib/clock.ts';
import { QUARTER_MS } from '../../lib/duration.ts';

export const BUCKET_MS = 10_000;
export const BUCKETS = 6;

/** With fewer readings, all may have been late. Lines that are read at once, as of an old file that is back, may be late alike. */
const MIN_READINGS = 3;
const ONE_READING_MS = 500;

/**
 * How far a program's clock is ahead of ours, estimated from the times in live lines; starts with no estimate. Lines are read after
 * they were printed and carry whole seconds, so each makes the clock look further behind than it is. The largest value of the last
 * minute is therefore the best estimate.
 */
export function createClockSkew() {
  let buckets: readonly { readonly from: number; readonly aheadMs: number; readonly readings: number }[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  const recent = (now: number) => buckets.filter(({ from }) => now - from < BUCKETS * BUCKET_MS);
  return {
    /** A line's time is `aheadMs` ahead of the time of reading; `now` is in watched time. */
    observe: (aheadMs: number, now: number) => {
      const [last, ...before] = buckets;
      const readings = now - readAt < ONE_READING_MS ? 0 : 1;
      if (readings > 0) readAt = now;
      if (last !== undefined && now - last.from < BUCKET_MS)
        buckets = [
          { ...last, aheadMs: Math.max(last.aheadMs, aheadMs), readings: last.readings + readings },
          ...before,
        ];
      else buckets = [{ from: now, aheadMs, readings }, ...recent(now)];
    },
    /** Milliseconds, negative when the clock is behind. Undefined while too few recent readings have shown it. */
    read: (now: number): number | undefined => {
      const known = recent(now);
      if (known.reduce((sum, { readings }) => sum + readings, 0) < MIN_READINGS) return undefined;
      return Math.max(...known.map(({ aheadMs }) => aheadMs));
    },
  };
}

/** Lines are live if the source was read to its end less than this long ago; otherwise they may have waited. */
const LIVE_WITHIN_MS = 3_000;

/** Compares the clock of a node with ours, by the times in its lines. */
export type ClockComparison = ReturnType<typeof createClockComparison>;

/** Starts with no measure, and again when our clock was set. */
export function createClockComparison({ now, toWall, resumedAt, disturbances }: Clock) {
  let skew = createClockSkew();
  let last: number | undefined;
  let setAt = disturbances().step?.at;
  const forgetIfSet = () => {
    const { step } = disturbances();
    if (step?.at === setAt) return;
    setAt = step?.at;
    skew = createClockSkew();
    last = undefined;
  };
  const read = () => {
    forgetIfSet();
    const aheadMs = skew.read(now());
    last = aheadMs ?? last;
    return aheadMs;
  };
  return {
    /**
     * A line that carries this time, in Unix milliseconds, was printed after `since`, if that is known. Only a line that
     * was read at once is a measure.
     */
    observe: (own: number, since: number | undefined, zoneIsKnown: boolean) => {
      forgetIfSet();
      const readAt = now();
      if (since === undefined || readAt - since > LIVE_WITHIN_MS) return;
      // While the process was suspended, lines waited too.
      if (readAt - resumedAt() < LIVE_WITHIN_MS) return;
      const ahead = own - toWall(readAt);
      skew.observe(zoneIsKnown ? ahead : ahead - Math.round(ahead / QUARTER_MS) * QUARTER_MS, readAt);
    },
    /** How far the node's clock is ahead, in milliseconds; undefined while too few readings have shown it. */
    read,
    /** The same by the last measure: after a pause there is none for some lines. */
    last: () => read() ?? last,
  };
}
