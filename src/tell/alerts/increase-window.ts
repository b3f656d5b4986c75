import type { WatchedMs } from '../../lib/clock.ts';

/** Remembers a counter over time, to compute its increase. */
export interface IncreaseWindow {
  /** Records the counter's value at this time. */
  record(at: WatchedMs, count: number): void;
  /** The increase since then, or since the first record when that is later; 0 without a record. */
  since(time: WatchedMs): number;
}

/** Creates an empty window of `keepMs` milliseconds. */
export function createIncreaseWindow(keepMs: number): IncreaseWindow {
  let records: readonly { readonly at: WatchedMs; readonly count: number }[] = [];
  return {
    record: (at, count) => {
      const base = records.findLastIndex((record) => record.at <= at - keepMs);
      records = [...records.slice(Math.max(base, 0)), { at, count }];
    },
    since: (time) => {
      const base = records.findLast(({ at }) => at <= time) ?? records[0];
      return base === undefined ? 0 : (records.at(-1)?.count ?? 0) - base.count;
    },
  };
}
