import type { LogHit, LogPattern } from '../model/log.ts';
import type { Pattern } from '../model/target.ts';
import { compileOwnPattern } from './compile-own-pattern.ts';
import { compilePackPattern, createMatcher } from './create-matcher.ts';
import { createLineTimeReader } from './read-line-time.ts';

/** Turns the lines of one log into hits. */
export interface LogReader {
  /** Takes one line as Latin-1; `at` is what Docker stamped on it, `now` the time of reading, in Unix milliseconds. */
  read(line: string, at: number | undefined, now: number): void;
}

/** What a reader is made with. */
export interface LogReaderOptions {
  readonly pack: readonly LogPattern[];
  /** The operator's own; one with the name of a pack's pattern replaces it. */
  readonly own: readonly Pattern[];
  /** Of times that name none: an IANA name. */
  readonly timezone: string;
  readonly onHit: (hit: Omit<LogHit, 'counted'>) => void;
}

/** A reader; throws for an own pattern that `compileOwnPattern` refuses, which the inventory has refused before. */
export function createLogReader({ pack, own, timezone, onHit }: LogReaderOptions): LogReader {
  const replaced = new Set(own.map(({ name }) => name));
  const matcher = createMatcher([
    ...pack.filter(({ name }) => !replaced.has(name)).map(compilePackPattern),
    ...own.map(compileOwnPattern),
  ]);
  const readTime = createLineTimeReader(timezone);
  let stamped: number | undefined;
  let readAt = 0;
  const onMatch: Parameters<typeof matcher>[1] = ({ name, means }, value, line) => {
    const own = stamped ?? readTime(line, readAt) ?? readAt;
    // A clock that is ahead of ours must not make a line good for longer.
    onHit({ pattern: name, means, at: Math.min(own, readAt), ...(value !== undefined && { value }) });
  };
  return {
    read: (line, at, now) => {
      stamped = at;
      readAt = now;
      matcher(line, onMatch);
    },
  };
}
