import type { LogHit, LogPattern } from '../../model/log.ts';
import type { Pattern } from '../../model/target.ts';
import { compileOwnPattern } from './compile-own-pattern.ts';
import { compilePackPattern, createMatcher, type OnMatch } from './create-matcher.ts';
import { createLineTimeReader } from './read-line-time.ts';

/** Turns the lines of one log into hits. */
export interface LogReader {
  /** Takes one line, as `OnLine` does; `at` is what Docker stamped on it, in Unix milliseconds. */
  read(text: string, start: number, end: number, at?: number): void;
}

/** What a reader is made with. */
export interface LogReaderOptions {
  readonly pack: readonly LogPattern[];
  /** The operator's own; one with the name of a pack's pattern replaces it. */
  readonly own: readonly Pattern[];
  /** Of times that name none: an IANA name. */
  readonly timezone: string;
  /** The time of reading, in Unix milliseconds; asked for only when a line matches. */
  readonly now: () => number;
  /** The time of a hit, given the one that its line carries, if any; without it that time, or that of reading. */
  readonly place?: (stamp: number | undefined) => number;
  /** The program's own time in a line that matched, in Unix milliseconds, also of one that Docker has stamped. */
  readonly onOwnTime?: (own: number) => void;
  readonly onHit: (hit: Omit<LogHit, 'counted'>) => void;
}

/** V8 copies shorter texts; a longer one that is cut out holds all that it was cut from, which is a chunk of the log. */
const SLICED_FROM = 13;
const copyOf = (value: string): string => (value.length < SLICED_FROM ? value : Buffer.from(value).toString());

/** A reader; throws for an own pattern that `compileOwnPattern` refuses, which the inventory has refused before. */
export function createLogReader({ pack, own, timezone, now, place, onOwnTime, onHit }: LogReaderOptions): LogReader {
  const replaced = new Set(own.map(({ name }) => name));
  const matcher = createMatcher(
    pack.filter(({ name }) => !replaced.has(name)).map(compilePackPattern),
    own.map(compileOwnPattern),
  );
  const readTime = createLineTimeReader(timezone);
  let stamped: number | undefined;
  const onMatch: OnMatch = ({ name, means }, value, line) => {
    const readAt = now();
    const own = stamped === undefined || onOwnTime ? readTime(line, readAt) : undefined;
    if (own !== undefined) onOwnTime?.(own);
    const stamp = stamped ?? own;
    const at = place === undefined ? Math.min(stamp ?? readAt, readAt) : place(stamp);
    onHit(value === undefined ? { pattern: name, means, at } : { pattern: name, means, at, value: copyOf(value) });
  };
  return {
    read: (text, start, end, at) => {
      stamped = at;
      matcher(text, start, end, onMatch);
    },
  };
}
