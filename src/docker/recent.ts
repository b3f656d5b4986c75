/** Lines read in one second: their number, by stream and nanosecond. */
type Second = Map<number, number>;

/**
 * Remembers which lines of a container's log were read recently. With it, a reopened stream reports the lines that the
 * previous one left out.
 */
export interface Recent {
  /** Lines from this time on are remembered, in Unix seconds; the log before it was read completely. */
  from(): number;
  /** Remembers a line by its timestamp in Unix milliseconds and the nanoseconds of that second. */
  add(stream: string, at: number, nanos: number): void;
  /** Everything before this time, in Unix milliseconds, has been read. */
  forgetBefore(before: number): void;
  /** The timestamp up to which streams brought the complete log, without a gap. Absent before the first. */
  completeUntil(): string | undefined;
  extendComplete(to: string): void;
  /** A copy of what is remembered now, to recognise the lines that come again. */
  snapshot(): RecentSnapshot;
}

/** The lines remembered when a stream was opened. */
export interface RecentSnapshot {
  readonly from: number;
  consume(stream: string, at: number, nanos: number): boolean;
}

/** Limit of remembered lines. A stream with so many has no gaps, so the older half counts as completely read. */
export const MAX_RECENT = 65_536;

const toSecond = (at: number): number => Math.floor(at / 1_000);
const toKey = (stream: string, nanos: number): number => Number(stream) * 1e9 + nanos;

/** Remembers lines from this second on, in Unix seconds. */
export function createRecent(startSecond: number): Recent {
  const seconds = new Map<number, Second>();
  let from = startSecond;
  let size = 0;
  let complete: string | undefined;
  const forget = (before: number) => {
    // A clock that was set back does not restore what was forgotten.
    if (before <= from) return;
    from = before;
    for (const [second, stamps] of seconds)
      if (second < before) {
        seconds.delete(second);
        size -= stamps.size;
      }
  };
  return {
    from: () => from,
    add: (stream, at, nanos) => {
      const second = toSecond(at);
      if (second < from) return;
      const stamps = seconds.get(second) ?? new Map<number, number>();
      seconds.set(second, stamps);
      const key = toKey(stream, nanos);
      const count = stamps.get(key) ?? 0;
      stamps.set(key, count + 1);
      if (count === 0) size++;
      if (size <= MAX_RECENT) return;
      for (const oldest of [...seconds.keys()].sort((a, b) => a - b)) if (size > MAX_RECENT / 2) forget(oldest + 1);
    },
    forgetBefore: (before) => forget(toSecond(before)),
    completeUntil: () => complete,
    extendComplete: (to) => {
      complete = to;
    },
    snapshot: () => {
      const left = new Map([...seconds].map(([second, stamps]) => [second, new Map(stamps)]));
      return {
        from,
        consume: (stream, at, nanos) => {
          const stamps = left.get(toSecond(at));
          const key = toKey(stream, nanos);
          const count = stamps?.get(key) ?? 0;
          if (count > 0) stamps?.set(key, count - 1);
          return count > 0;
        },
      };
    },
  };
}
