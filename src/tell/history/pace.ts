import { MINUTE_MS } from '../../lib/duration.ts';
import type { Minute } from '../../model/history.ts';

/** The minutes that are kept. */
const KEPT = 60;
/** A minute in which no height was recorded for longer than this is not counted. */
const UNSEEN_MS = 30_000;
/** Where the first height comes this early in a minute, all of the minute is counted. */
const BEGIN_MS = 5_000;

/** The blocks of a subnet, minute by minute. */
export type Pace = ReturnType<typeof createPace>;

/** Counts blocks by the height at the end of each minute; `onMinute` receives each that ends. */
export function createPace(onMinute?: (minute: Minute) => void) {
  let minutes: readonly Minute[] = [];
  /** The height when the current minute began, if it was recorded then. */
  let base: { readonly minute: number; readonly height: number } | undefined;
  let last: { readonly at: number; readonly height: number } | undefined;
  return {
    /** A height at a moment, in wall time, how many blocks are not final, and the least time between two blocks, if it is known. */
    record: (at: number, height: number | undefined, gap: number | undefined, minePeriodMs = 0): void => {
      const minute = Math.floor(at / MINUTE_MS);
      if (height === undefined) {
        base = undefined;
        last = undefined;
        return;
      }
      const isSeen = last !== undefined && at - last.at < UNSEEN_MS && at >= last.at;
      if (base !== undefined && isSeen && minute === base.minute + 1) {
        // A chain that was reset has a lower height: that minute counts as one without a block.
        const blocks = Math.max(0, height - base.height);
        const ended: Minute = { at: base.minute * MINUTE_MS, blocks, ...(gap !== undefined && { gap }) };
        // More than the chain can make are blocks that its nodes took again or from others, as after their data was put back.
        if (blocks * minePeriodMs <= 2 * MINUTE_MS) {
          minutes = [...minutes.slice(1 - KEPT), ended];
          onMinute?.(ended);
        }
      }
      const isBegin = at - minute * MINUTE_MS < BEGIN_MS;
      const hasCrossed = isSeen && last !== undefined && Math.floor(last.at / MINUTE_MS) !== minute;
      if (base?.minute !== minute) base = hasCrossed || isBegin ? { minute, height } : undefined;
      last = { at, height };
    },
    /** Adds minutes of the past, the oldest first. */
    restore: (earlier: readonly Minute[]): void => {
      const own = new Set(minutes.map(({ at }) => at));
      const all = [...earlier.filter(({ at }) => !own.has(at)), ...minutes];
      minutes = all.toSorted((one, other) => one.at - other.at).slice(-KEPT);
    },
    read: (): readonly Minute[] => minutes,
  };
}
