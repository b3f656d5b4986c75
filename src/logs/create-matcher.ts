import type { LogPattern } from '../model/log.ts';
import type { CompiledPattern } from './compile-own-pattern.ts';
import { toLatin1 } from './latin1.ts';

/** Called with each pattern that a line matches; `line` is Latin-1. */
export type OnMatch = (pattern: CompiledPattern, value: string | undefined, line: string) => void;

/** Looks at one line, which is Latin-1 and without its line break. */
export type Matcher = (line: string, onMatch: OnMatch) => void;

const escapeText = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Escapes what is beyond ASCII, as the bytes of its UTF-8. */
const toLatin1Expression = (match: RegExp): RegExp =>
  new RegExp(toLatin1(match.source), match.flags.replaceAll('u', ''));

/** A pattern of a pack; packs are ours, so their expressions are run by the engine of the language. */
export function compilePackPattern({ name, means, literal, match }: LogPattern): CompiledPattern {
  const bare = { name, means, literal: toLatin1(literal) };
  if (match === undefined) return bare;
  const expression = toLatin1Expression(match);
  return {
    ...bare,
    test: (line) => {
      const found = expression.exec(line);
      return found === null ? undefined : found[1] === undefined ? {} : { value: found[1] };
    },
  };
}

/**
 * One look for all literals at once decides for most lines that nothing is in them; the patterns themselves are tried on
 * the rest alone. Expressions are tried on a line without a trailing carriage return.
 */
export function createMatcher(patterns: readonly CompiledPattern[]): Matcher {
  const withLiteral = patterns.filter(({ literal }) => literal !== '');
  const everywhere = patterns.filter(({ literal }) => literal === '');
  const literals = [...new Set(withLiteral.map(({ literal }) => literal))].sort((a, b) => b.length - a.length);
  const prefilter = literals.length === 0 ? undefined : new RegExp(literals.map(escapeText).join('|'));

  const tryOne = (pattern: CompiledPattern, line: string, onMatch: OnMatch) => {
    if (pattern.test === undefined) {
      onMatch(pattern, undefined, line);
      return;
    }
    const match = pattern.test(line);
    if (match !== undefined) onMatch(pattern, match.value, line);
  };

  return (raw, onMatch) => {
    const hit = prefilter?.test(raw);
    if (!hit && everywhere.length === 0) return;
    const line = raw.charCodeAt(raw.length - 1) === 13 ? raw.slice(0, -1) : raw;
    if (hit) for (const pattern of withLiteral) if (line.includes(pattern.literal)) tryOne(pattern, line, onMatch);
    for (const pattern of everywhere) tryOne(pattern, line, onMatch);
  };
}
