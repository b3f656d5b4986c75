/** Lines read in one second, each by its stream and nanosecond. A list takes far less time and memory than a map. */
type Second = number[];

/** Their number, by stream and nanosecond. */
const count = (lines: Second): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const key of lines) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};

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

/** Limit of remembered lines. A stream with as many has no gaps, so the older half counts as completely read. */
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
    for (const [second, lines] of seconds)
      if (second < before) {
        seconds.delete(second);
        size -= lines.length;
      }
  };
  return {
    from: () => from,
    add: (stream, at, nanos) => {
      const second = toSecond(at);
      if (second < from) return;
      const lines = seconds.get(second);
      if (lines === undefined) seconds.set(second, [toKey(stream, nanos)]);
      else lines.push(toKey(stream, nanos));
      size++;
      if (size <= MAX_RECENT) return;
      for (const oldest of [...seconds.keys()].sort((a, b) => a - b)) if (size > MAX_RECENT / 2) forget(oldest + 1);
    },
    forgetBefore: (before) => forget(toSecond(before)),
    completeUntil: () => complete,
    extendComplete: (to) => {
      complete = to;
    },
    snapshot: () => {
      const left = new Map([...seconds].map(([second, lines]) => [second, count(lines)]));
      return {
        from,
        consume: (stream, at, nanos) => {
          const counts = left.get(toSecond(at));
          const key = toKey(stream, nanos);
          const times = counts?.get(key) ?? 0;
          if (times > 0) counts?.set(key, times - 1);
          return times > 0;
        },
      };
    },
  };
}
