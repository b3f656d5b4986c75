import type { Clock } from '../../lib/clock.ts';
import { createLogReader, type LogReader, type LogReaderOptions } from './match/create-log-reader.ts';

/** Settings of a reader whose hits are in watched time. */
export interface HitReaderOptions extends Pick<LogReaderOptions, 'timezone' | 'pack' | 'own' | 'onOwnTime'> {
  readonly clock: Clock;
  /** The latest time at which a line can have been printed, with or without a time of its own. */
  readonly until: (hasTime: boolean) => number;
  /** The earliest such time, if known. */
  readonly since?: () => number | undefined;
  /** How far the clock of the program is ahead, in milliseconds, if known. */
  readonly clockAheadMs?: () => number | undefined;
  /** Receives a hit before it is known whether it counts. `isOld`: its line is from long before, as one of a restored copy. */
  readonly onHit: (...hit: [...Parameters<LogReaderOptions['onHit']>, isOld: boolean]) => void;
}

/** A line may be read so long after it was printed. */
const LATE_MS = 60_000;

/** Reads lines, and moves the time of each hit into the bounds within which it was printed. */
export function createHitReader({
  clock,
  until,
  since,
  clockAheadMs,
  onOwnTime,
  onHit,
  ...rest
}: HitReaderOptions): LogReader {
  let isOld = false;
  let dated: number | undefined;
  let datedSince: number | undefined;
  const findOld = (stamp: number): boolean => {
    const from = since?.();
    const aheadMs = from === undefined ? undefined : clockAheadMs?.();
    return from !== undefined && aheadMs !== undefined && clock.fromWall(stamp - aheadMs) < from - LATE_MS;
  };
  return createLogReader({
    ...rest,
    now: () => clock.toWall(until(true)),
    // An old line says nothing about the clock of now.
    ...(onOwnTime && { onOwnTime: (own) => findOld(own) || onOwnTime(own) }),
    toHitTime: (stamp) => {
      const latest = until(stamp !== undefined);
      const from = since?.();
      // A line without a time, such as one that two writers have torn, is as old as the one before, if that was read in one go with it.
      if (stamp === undefined) return Math.min(datedSince === from ? (dated ?? latest) : latest, latest);
      isOld = findOld(stamp);
      // The clock of the stamp may be ahead of ours, or behind.
      const printedAt = clock.fromWall(stamp);
      dated = Math.min(isOld ? printedAt : Math.max(printedAt, from ?? 0), latest);
      datedSince = from;
      return dated;
    },
    onHit: (hit, line) => onHit(hit, line, isOld),
  });
}
