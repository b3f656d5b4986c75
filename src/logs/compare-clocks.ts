import type { Clock } from '../model/clock.ts';
import { QUARTER_MS } from '../model/duration.ts';
import { createClockSkew } from './match/create-clock-skew.ts';

/** Compares the clock of a node with ours, by the times in its lines. */
export interface ClockComparison {
  /**
   * A line that carries this time, in Unix milliseconds, was printed after `since`, if that is known. Only a line that
   * was read at once is a measure.
   */
  observe(own: number, since: number | undefined, zoneIsKnown: boolean): void;
  /** How far the node's clock is ahead, in milliseconds; undefined while too few lines have shown it. */
  read(): number | undefined;
}

/** Lines are live if the source was read to its end less than this long ago; otherwise they may have waited. */
const LIVE_WITHIN_MS = 3_000;

/** Starts with no measure. */
export function createClockComparison({ now, toWall, resumedAt }: Clock): ClockComparison {
  const skew = createClockSkew();
  return {
    observe: (own, since, zoneIsKnown) => {
      const readAt = now();
      if (since === undefined || readAt - since > LIVE_WITHIN_MS) return;
      // While the process was suspended, lines waited too.
      if (readAt - resumedAt() < LIVE_WITHIN_MS) return;
      const ahead = own - toWall(readAt);
      skew.observe(zoneIsKnown ? ahead : ahead - Math.round(ahead / QUARTER_MS) * QUARTER_MS, readAt);
    },
    read: () => skew.read(now()),
  };
}
