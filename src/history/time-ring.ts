import type { Uptime } from '../model/history.ts';

/** The parts of an uptime, in the order of a ring's cells. */
const PARTS = ['ok', 'fail', 'unseen', 'planned'] as const;

/** The last spans of one length, such as 24 hours: each with how long a target was in which state. */
export interface TimeRing {
  /** Adds milliseconds to a span; spans are counted since 1970. */
  add(span: number, part: keyof Uptime, ms: number): void;
  /** The spans up to `last`, the oldest first; undefined where nobody looked. */
  read(last: number): readonly (Uptime | undefined)[];
  /** One span; undefined where nobody looked. */
  at(span: number): Uptime | undefined;
}

/** Creates an empty ring of `size` spans. Ten thousand targets have two of them each, so it is one typed array. */
export function createTimeRing(size: number): TimeRing {
  const cells = new Uint32Array(size * PARTS.length);
  /** The newest span. */
  let newest = 0;

  const clear = (span: number) => cells.fill(0, (span % size) * PARTS.length, ((span % size) + 1) * PARTS.length);

  const at = (span: number): Uptime | undefined => {
    if (span > newest || span <= newest - size) return undefined;
    const [ok = 0, fail = 0, unseen = 0, planned = 0] = cells.subarray((span % size) * PARTS.length);
    return ok + fail + unseen + planned === 0 ? undefined : { ok, fail, unseen, planned };
  };

  return {
    add: (span, part, ms) => {
      if (span <= newest - size) return;
      for (let next = Math.max(newest + 1, span - size + 1); next <= span; next += 1) clear(next);
      newest = Math.max(newest, span);
      const cell = (span % size) * PARTS.length + PARTS.indexOf(part);
      cells[cell] = (cells[cell] ?? 0) + Math.round(ms);
    },
    at,
    read: (last) => Array.from({ length: size }, (_, index) => at(last - size + 1 + index)),
  };
}
