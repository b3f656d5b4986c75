import type { Clock } from '../../lib/clock.ts';
import { QUARTER_MS } from '../../lib/duration.ts';

/** How far a program's clock is ahead of ours, estimated from the times in live lines. */
export interface ClockSkew {
  /** A line's time is `aheadMs` ahead of the time of reading; `now` is in watched time. */
  observe(aheadMs: number, now: number): void;
  /** Milliseconds, negative when the clock is behind. Undefined while too few recent lines have shown it. */
  read(now: number): number | undefined;
}

const BUCKET_MS = 10_000;
const BUCKETS = 6;

/** With fewer lines, all may have been read late. */
const MIN_LINES = 3;

/**
 * Starts with no estimate. Lines are read after they were printed and carry whole seconds, so each makes the clock look
 * further behind than it is. The largest value of the last minute is therefore the best estimate.
 */
export function createClockSkew(): ClockSkew {
  let buckets: readonly { readonly from: number; readonly aheadMs: number; readonly lines: number }[] = [];
  const recent = (now: number) => buckets.filter(({ from }) => now - from < BUCKETS * BUCKET_MS);
  return {
    observe: (aheadMs, now) => {
      const [last, ...before] = buckets;
      if (last !== undefined && now - last.from < BUCKET_MS)
        buckets = [{ ...last, aheadMs: Math.max(last.aheadMs, aheadMs), lines: last.lines + 1 }, ...before];
      else buckets = [{ from: now, aheadMs, lines: 1 }, ...recent(now)];
    },
    read: (now) => {
      const known = recent(now);
      if (known.reduce((sum, { lines }) => sum + lines, 0) < MIN_LINES) return undefined;
      return Math.max(...known.map(({ aheadMs }) => aheadMs));
    },
  };
}

/** Compares the clock of a node with ours, by the times in its lines. */
export interface ClockComparison {
  /**
   * A line that carries this time, in Unix milliseconds, was printed after `since`, if that is known. Only a line that
   * was read at once is a measure.
   */
  observe(own: number, since: number | undefined, zoneIsKnown: boolean): void;
  /** How far the node's clock is ahead, in milliseconds; undefined while too few lines have shown it. */
  read(): number | undefined;
  /** The same by the last measure: after a pause there is none for some lines. */
  last(): number | undefined;
}

/** Lines are live if the source was read to its end less than this long ago; otherwise they may have waited. */
const LIVE_WITHIN_MS = 3_000;

/** Starts with no measure, and again when our clock was set. */
export function createClockComparison({ now, toWall, resumedAt, disturbances }: Clock): ClockComparison {
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
    observe: (own, since, zoneIsKnown) => {
      forgetIfSet();
      const readAt = now();
      if (since === undefined || readAt - since > LIVE_WITHIN_MS) return;
      // While the process was suspended, lines waited too.
      if (readAt - resumedAt() < LIVE_WITHIN_MS) return;
      const ahead = own - toWall(readAt);
      skew.observe(zoneIsKnown ? ahead : ahead - Math.round(ahead / QUARTER_MS) * QUARTER_MS, readAt);
    },
    read,
    last: () => read() ?? last,
  };
}
