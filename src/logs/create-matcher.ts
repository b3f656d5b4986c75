import type { LogPattern } from '../model/log.ts';
import type { CompiledPattern } from './compile-own-pattern.ts';
import { toLatin1 } from './latin1.ts';
import { NODE_HEAD, NODE_HEAD_LENGTH } from './node-line.ts';

/** Called with each pattern that a line matches; `line` is Latin-1. */
export type OnMatch = (pattern: CompiledPattern, value: string | undefined, line: string) => void;

/** Looks at one line, as `OnLine` takes it. */
export type Matcher = (text: string, start: number, end: number, onMatch: OnMatch) => void;

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

/** Of patterns that begin the message of a node's line, those whose literal has these two characters first. */
const toKey = (text: string, at: number): number => text.charCodeAt(at) * 65_536 + text.charCodeAt(at + 1);

/** An expression for any of the literals. */
const toAlternation = (patterns: readonly CompiledPattern[]): RegExp =>
  new RegExp([...new Set(patterns.map(({ literal }) => escapeText(literal)))].join('|'));

/**
 * Matches many patterns at once. Most literals begin the message of a node's line, so in such a line two characters at one
 * place choose the few that are compared; the others, and all of them in lines of another shape, are looked for everywhere.
 * Expressions are tried on a line without a trailing carriage return.
 */
export function createMatcher(patterns: readonly CompiledPattern[]): Matcher {
  const everywhere = patterns.filter(({ literal }) => literal === '');
  const literal = patterns.filter((one) => one.literal !== '');
  const inside = literal.filter(({ begins }) => !begins);
  const hasAny = toAlternation(literal);
  const hasInside = toAlternation(inside);
  const byBeginning = Map.groupBy(
    literal.filter(({ begins }) => begins),
    (one) => toKey(one.literal, 0),
  );
  for (const key of byBeginning.keys())
    byBeginning.set(
      key,
      literal.filter((one) => !one.begins || toKey(one.literal, 0) === key),
    );
  const looksEverywhere = inside.length > 0 || everywhere.length > 0;
  // At CRIT the level itself is looked for.
  const head = new RegExp(`(?!CRIT)${NODE_HEAD}`, 'y');

  const tryOne = (pattern: CompiledPattern, line: string, onMatch: OnMatch) => {
    if (pattern.test === undefined) {
      onMatch(pattern, undefined, line);
      return;
    }
    const match = pattern.test(line);
    if (match !== undefined) onMatch(pattern, match.value, line);
  };

  return (text, start, end, onMatch) => {
    head.lastIndex = start;
    const isOfNode = head.test(text);
    const begun = isOfNode ? byBeginning.get(toKey(text, start + NODE_HEAD_LENGTH)) : undefined;
    if (isOfNode && begun === undefined && !looksEverywhere) return;
    const line = text.slice(start, text.charCodeAt(end - 1) === 13 ? end - 1 : end);
    if (begun !== undefined) {
      for (const pattern of begun) {
        const { begins, literal: text } = pattern;
        // V8 takes thrice as long for `startsWith`.
        const found = begins
          ? line.slice(NODE_HEAD_LENGTH, NODE_HEAD_LENGTH + text.length) === text
          : line.includes(text);
        if (found) tryOne(pattern, line, onMatch);
      }
    } else {
      const searched = isOfNode ? inside : literal;
      if (searched.length > 0 && (isOfNode ? hasInside : hasAny).test(line))
        for (const pattern of searched) if (line.includes(pattern.literal)) tryOne(pattern, line, onMatch);
    }
    for (const pattern of everywhere) tryOne(pattern, line, onMatch);
  };
}
