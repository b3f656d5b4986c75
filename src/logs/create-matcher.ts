import type { LogPattern } from '../model/log.ts';
import type { CompiledPattern } from './compile-own-pattern.ts';
import { toLatin1 } from './latin1.ts';
import { NODE_HEAD } from './node-line.ts';

/** Called with each pattern that a line matches; `line` is Latin-1. */
export type OnMatch = (pattern: CompiledPattern, value: string | undefined, line: string) => void;

/** Looks at one line, which is Latin-1 and without its line break. */
export type Matcher = (line: string, onMatch: OnMatch) => void;

const escapeText = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Escapes what is beyond ASCII, as the bytes of its UTF-8. */
const toLatin1Expression = (match: RegExp): RegExp =>
  new RegExp(toLatin1(match.source), match.flags.replaceAll('u', ''));

/** A pattern of a pack; packs are ours, so their expressions are run by the engine of the language. */
export function compilePackPattern({ name, means, literal, begins, match }: LogPattern): CompiledPattern {
  const bare = { name, means, literal: toLatin1(literal), begins: begins === true };
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

const NONE: readonly CompiledPattern[] = [];

/** The source of an expression for any of the literals: the longest that there is at a place, and nothing without any. */
function toAlternation(patterns: readonly CompiledPattern[]): string {
  const literals = [...new Set(patterns.map(({ literal }) => literal))].sort((a, b) => b.length - a.length);
  return literals.length === 0 ? '(?!)' : `(?:${literals.map(escapeText).join('|')})`;
}

/**
 * Chooses the patterns that may match a line. Most literals begin the message of a node's line, so in such a line one look
 * at one place decides about all of them at once; the others, and all of them in lines of another shape, are looked for
 * everywhere.
 */
function createChooser(patterns: readonly CompiledPattern[]): (line: string) => readonly CompiledPattern[] {
  const beginning = patterns.filter(({ begins }) => begins);
  const inside = patterns.filter(({ begins }) => !begins);
  // At CRIT the level itself is looked for.
  const head = `^(?!CRIT)${NODE_HEAD}`;
  const begin = toAlternation(beginning);
  const hasNoBeginning = new RegExp(`${head}(?!${begin})`);
  const hasBeginning = new RegExp(`${head}(${begin})`);
  const hasInside = inside.length === 0 ? undefined : new RegExp(toAlternation(inside));
  const hasAny = new RegExp(toAlternation(patterns));
  /** By the longest literal that begins the message; a shorter one may begin it too. */
  const byBeginning = new Map(
    beginning.map(({ literal }) => [literal, patterns.filter((one) => !one.begins || literal.startsWith(one.literal))]),
  );

  return (line) => {
    if (hasNoBeginning.test(line)) return hasInside?.test(line) ? inside : NONE;
    const longest = hasBeginning.exec(line)?.[1];
    if (longest === undefined) return hasAny.test(line) ? patterns : NONE;
    return byBeginning.get(longest) ?? NONE;
  };
}

/** Matches many patterns at once. Expressions are tried on a line without a trailing carriage return. */
export function createMatcher(patterns: readonly CompiledPattern[]): Matcher {
  const everywhere = patterns.filter(({ literal }) => literal === '');
  const choose = createChooser(patterns.filter(({ literal }) => literal !== ''));

  const tryOne = (pattern: CompiledPattern, line: string, onMatch: OnMatch) => {
    if (pattern.test === undefined) {
      onMatch(pattern, undefined, line);
      return;
    }
    const match = pattern.test(line);
    if (match !== undefined) onMatch(pattern, match.value, line);
  };

  return (raw, onMatch) => {
    const chosen = choose(raw);
    if (chosen.length === 0 && everywhere.length === 0) return;
    const line = raw.charCodeAt(raw.length - 1) === 13 ? raw.slice(0, -1) : raw;
    for (const pattern of chosen) if (line.includes(pattern.literal)) tryOne(pattern, line, onMatch);
    for (const pattern of everywhere) tryOne(pattern, line, onMatch);
  };
}
