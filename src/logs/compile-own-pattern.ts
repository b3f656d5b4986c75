import { compileRe2 } from '../compile-re2.ts';
import type { Meaning } from '../model/log.ts';
import type { Pattern } from '../model/target.ts';
import { fromLatin1, toLatin1 } from './latin1.ts';

/** What a line that matched carries. */
export interface Match {
  readonly value?: string;
}

/** A pattern that is ready to look at lines, which are Latin-1 and without their line break. */
export interface CompiledPattern {
  readonly name: string;
  readonly means: Meaning;
  /** Text, as Latin-1, without which no line matches; empty when every line must be looked at. */
  readonly literal: string;
  /** As in `LogPattern`. */
  readonly begins: boolean;
  /** Decides nothing but the literal when absent. */
  readonly test?: (line: string) => Match | undefined;
}

/** The longest run of plain characters that every match of a simple expression holds; empty when none is certain. */
export function requiredLiteral(source: string): string {
  if (/[|([{]/.test(source.replaceAll(/\\[^\w\s]/g, ''))) return '';
  const runs = source
    // A character that may be absent ends a run and is no part of it.
    .replaceAll(/(?:\\.|[^\\])[*?]/g, '\0')
    .replaceAll(/\\([^\w\s])/g, (_, char: string) => (char === '.' ? '\u{1}' : char))
    .replaceAll(/\\\w|[.^$+]/g, '\0')
    .replaceAll('\u{1}', '.')
    .split('\0');
  return runs.reduce((best, run) => (run.length > best.length ? run : best), '');
}

/**
 * An operator's own pattern, run by RE2, whose time grows with the length of the line and nothing else. Throws when RE2
 * cannot run it, as with look-around and back-references; the inventory is checked by the same call.
 */
export function compileOwnPattern({ name, means, match, value }: Pattern): CompiledPattern {
  const compiled = compileRe2(match);
  if (value !== undefined && !Object.keys(compiled.namedGroups()).includes(value))
    throw new Error(`there is no group (?<${value}>…) in the pattern`);
  return {
    name,
    means,
    literal: toLatin1(requiredLiteral(match)),
    begins: false,
    test: (line) => {
      const matcher = compiled.matcher(fromLatin1(line));
      if (!matcher.find()) return undefined;
      const text = value === undefined ? null : matcher.group(value);
      return text === null || text === undefined ? {} : { value: text };
    },
  };
}
