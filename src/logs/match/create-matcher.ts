import type { LogPattern, Meaning } from '../../model/log.ts';
import type { Match, OwnPattern } from './compile-own-pattern.ts';
import { fromLatin1, toLatin1 } from './latin1.ts';
import { NODE_HEAD, NODE_HEAD_LENGTH } from './node-line.ts';

/** A pattern of a pack that is ready to look at lines, which are Latin-1 and without their line break. */
export interface CompiledPattern {
  readonly name: string;
  readonly means: Meaning;
  /** Text, as Latin-1, without which no line matches. */
  readonly literal: string;
  /** As in `LogPattern`. */
  readonly begins: boolean;
  /** Decides nothing but the literal when absent. */
  readonly test?: (line: string) => Match | undefined;
}

/** Called with each pattern that a line matches; `line` is Latin-1. */
export type OnMatch = (pattern: CompiledPattern | OwnPattern, value: string | undefined, line: string) => void;

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
 * The operator's own patterns are tried on every line. Expressions are tried on a line without a trailing carriage return.
 */
export function createMatcher(pack: readonly CompiledPattern[], own: readonly OwnPattern[] = []): Matcher {
  const inside = pack.filter(({ begins }) => !begins);
  const hasAny = toAlternation(pack);
  const hasInside = toAlternation(inside);
  const byBeginning = Map.groupBy(
    pack.filter(({ begins }) => begins),
    (one) => toKey(one.literal, 0),
  );
  for (const key of byBeginning.keys())
    byBeginning.set(
      key,
      pack.filter((one) => !one.begins || toKey(one.literal, 0) === key),
    );
  const looksEverywhere = inside.length > 0 || own.length > 0;
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
      const searched = isOfNode ? inside : pack;
      if (searched.length > 0 && (isOfNode ? hasInside : hasAny).test(line))
        for (const pattern of searched) if (line.includes(pattern.literal)) tryOne(pattern, line, onMatch);
    }
    if (own.length === 0) return;
    const decoded = fromLatin1(line);
    for (const pattern of own) {
      const match = pattern.test(decoded);
      if (match !== undefined) onMatch(pattern, match.value, line);
    }
  };
}
