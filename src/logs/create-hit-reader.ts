import type { Clock } from '../model/clock.ts';
import { createLogReader, type LogReader, type LogReaderOptions } from './match/create-log-reader.ts';

/** Settings of a reader whose hits are in watched time. */
export interface HitReaderOptions extends Pick<LogReaderOptions, 'timezone' | 'pack' | 'own' | 'onOwnTime'> {
  readonly clock: Clock;
  /** The latest time at which a line can have been printed. */
  readonly until: () => number;
  /** The earliest such time, if known. */
  readonly since?: () => number | undefined;
  /** Receives a hit before it is known whether it counts. */
  readonly onHit: LogReaderOptions['onHit'];
}

/** Reads lines, and moves the time of each hit into the bounds within which it was printed. */
export function createHitReader({ clock, until, since, ...rest }: HitReaderOptions): LogReader {
  return createLogReader({
    ...rest,
    now: () => clock.toWall(until()),
    toHitTime: (stamp) => {
      const latest = until();
      // The clock of the stamp may be ahead of ours, or behind.
      return Math.min(Math.max(stamp === undefined ? latest : clock.fromWall(stamp), since?.() ?? 0), latest);
    },
  });
}
