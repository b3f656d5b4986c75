import type { LogHit, LogPattern } from '../../../model/log.ts';
import type { Pattern } from '../../../model/target.ts';
import { compileOwnPattern } from './compile-own-pattern.ts';
import { type CompiledPack, compilePack, createMatcher, type OnMatch } from './create-matcher.ts';
import { createLineTimeReader } from './read-line-time.ts';

/** Turns the lines of one log into pattern hits. */
export interface LogReader {
  /** Reads one line, as `OnLine` receives it. `at` is Docker's timestamp, in Unix milliseconds. */
  read(text: string, start: number, end: number, at?: number): void;
  /** The log has ended, as a saved one does: tells what only that decides. */
  end(): void;
}

/** Dependencies and settings of a reader. */
export interface LogReaderOptions {
  readonly pack: readonly LogPattern[];
  /** The operator's own patterns; one with the name of a pack's pattern replaces it. */
  readonly own: readonly Pattern[];
  /** For times without a zone: an IANA name. */
  readonly timezone: string;
  /** The time of reading, in Unix milliseconds. Called only when a line matches. */
  readonly now: () => number;
  /**
   * Maps the time that a line carries to the time of the hit. Default: that time, or the time of reading when there is
   * none.
   */
  readonly toHitTime?: (stamp: number | undefined) => number;
  /**
   * The time that the program itself printed in a line that matched, in Unix milliseconds, even when Docker stamped the
   * line.
   */
  readonly onOwnTime?: (own: number) => void;
  /** Also receives the whole line, in Latin-1: a part of a larger text, which a kept slice keeps in memory. */
  readonly onHit: (hit: Omit<LogHit, 'counted'>, line: string) => void;
}

/** V8 copies texts shorter than this. A longer slice would keep a whole chunk of the log in memory. */
const SLICED_FROM = 13;
const copyOf = (value: string): string => (value.length < SLICED_FROM ? value : Buffer.from(value).toString());

/** All logs of one kind share what is compiled once, unless an operator has replaced a pattern of theirs. */
const compiled = new WeakMap<readonly LogPattern[], CompiledPack>();
const compileOnce = (pack: readonly LogPattern[]): CompiledPack => {
  const known = compiled.get(pack) ?? compilePack(pack);
  compiled.set(pack, known);
  return known;
};

/** Throws for an own pattern that `compileOwnPattern` refuses; the inventory has rejected those before. */
export function createLogReader({
  pack,
  own,
  timezone,
  now,
  toHitTime,
  onOwnTime,
  onHit,
}: LogReaderOptions): LogReader {
  const replaced = new Set(own.map(({ name }) => name));
  const isWhole = !pack.some(({ name }) => replaced.has(name));
  const matcher = createMatcher(
    isWhole ? compileOnce(pack) : compilePack(pack, replaced),
    own.map(compileOwnPattern),
    now,
    () => stamped,
  );
  const readTime = createLineTimeReader(timezone);
  let stamped: number | undefined;
  const onMatch: OnMatch = ({ name, means }, value, line, stampBefore) => {
    const readAt = now();
    const own = stamped === undefined || onOwnTime ? readTime(line, readAt) : undefined;
    if (own !== undefined) onOwnTime?.(own);
    const stamp = stampBefore ?? stamped ?? own;
    const at = toHitTime === undefined ? Math.min(stamp ?? readAt, readAt) : toHitTime(stamp);
    onHit(
      value === undefined ? { pattern: name, means, at } : { pattern: name, means, at, value: copyOf(value) },
      line,
    );
  };
  return {
    read: (text, start, end, at) => {
      stamped = at;
      matcher(text, start, end, onMatch);
    },
    end: () => matcher.end(onMatch),
  };
}
