import type { WatchedMs } from '../lib/clock.ts';
import type { FleetMember, SeenMember } from '../model/fleet.ts';

/** An instance whose beat has not changed for this long is silent: it has missed three writes. */
const SILENT_MS = 15_000;

/**
 * What is known of the instances of a fleet from their rows over time, by the reader's own clock.
 * Starts without a row. A row that was read for the first time is neither fresh nor silent: its writer may be long gone.
 */
export function createMemberTracker() {
  let known: ReadonlyMap<
    string,
    { readonly row: FleetMember; readonly seenAt: WatchedMs; readonly isBeating: boolean }
  > = new Map();
  return {
    /** Takes all rows as they were read at `now`. */
    take: (rows: readonly FleetMember[], now: WatchedMs): void => {
      known = new Map(
        rows.map((row) => {
          const before = known.get(row.instance);
          if (before === undefined) return [row.instance, { row, seenAt: now, isBeating: false }];
          if (before.row.beat === row.beat) return [row.instance, { ...before, row }];
          return [row.instance, { row, seenAt: now, isBeating: true }];
        }),
      );
    },
    /** All instances as of `now`, by the name of the instance. */
    read: (now: WatchedMs): readonly SeenMember[] =>
      [...known.values()].map(({ row, seenAt, isBeating }) => {
        const isSilent = now - seenAt >= SILENT_MS;
        return { ...row, seenAt, hasBeaten: isBeating, isFresh: isBeating && !isSilent, isSilent };
      }),
  };
}
