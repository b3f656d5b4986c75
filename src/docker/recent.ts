/** The stamps of one second: by stream and nanosecond, how many lines were read. */
type Second = Map<number, number>;

/**
 * Which lines of a container's log were read in the last time, so that a stream that is opened again brings those that the one
 * before has left out.
 */
export interface Recent {
  /** Each line that was read from then on is remembered, in Unix seconds; before then a log was read whole. */
  from(): number;
  /** Remembers a line: when it was stamped, in Unix milliseconds, and the nanoseconds of that second. */
  add(stream: string, at: number, nanos: number): void;
  /** All that is stamped before this, in Unix milliseconds, has been read. */
  complete(before: number): void;
  /** The stamp up to which an opening brought all that was there, as the engine had not thrown it away; absent before the first. */
  wholeTo(): string | undefined;
  extendWhole(to: string): void;
  /** What is remembered now: tells of each line that comes again whether it was read, as often as it was. */
  claim(): Claim;
}

/** What was remembered when a stream was opened. */
export interface Claim {
  readonly from: number;
  take(stream: string, at: number, nanos: number): boolean;
}

/** A busy stream that gives so many lines is not the one that starves: the older half of them counts as read whole. */
export const MOST_RECENT = 65_536;

const toSecond = (at: number): number => Math.floor(at / 1_000);
const toKey = (stream: string, nanos: number): number => Number(stream) * 1e9 + nanos;

/** Remembers lines stamped from this second on, in Unix seconds. */
export function createRecent(begin: number): Recent {
  const seconds = new Map<number, Second>();
  let from = begin;
  let size = 0;
  let whole: string | undefined;
  const forget = (before: number) => {
    // A clock that was set back does not bring back what is forgotten.
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
      if (size <= MOST_RECENT) return;
      for (const oldest of [...seconds.keys()].sort((a, b) => a - b)) if (size > MOST_RECENT / 2) forget(oldest + 1);
    },
    complete: (before) => forget(toSecond(before)),
    wholeTo: () => whole,
    extendWhole: (to) => {
      whole = to;
    },
    claim: () => {
      const left = new Map([...seconds].map(([second, stamps]) => [second, new Map(stamps)]));
      return {
        from,
        take: (stream, at, nanos) => {
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
