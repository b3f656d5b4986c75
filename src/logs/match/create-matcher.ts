import type { LogPattern, Meaning } from '../../model/log.ts';
import type { Match, OwnPattern } from './compile-own-pattern.ts';
import { fromLatin1, toLatin1 } from './latin1.ts';
import { NODE_HEAD, NODE_HEAD_LENGTH } from './node-line.ts';

/** A pattern of a pack, compiled for Latin-1 lines without their line break. */
export interface CompiledPattern {
  readonly name: string;
  readonly means: Meaning;
  /** Latin-1 text that every matching line contains. */
  readonly literal: string;
  /** As in `LogPattern`. */
  readonly startsMessage: boolean;
  /** Absent when the literal alone decides. */
  readonly test?: (line: string) => Match | undefined;
}

/** Called with each pattern that a line matches; `line` is Latin-1. */
export type OnMatch = (pattern: CompiledPattern | OwnPattern, value: string | undefined, line: string) => void;

/** Tests one line against all patterns; the line comes as `OnLine` receives it. */
export type Matcher = (text: string, start: number, end: number, onMatch: OnMatch) => void;

const escapeText = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Rewrites characters beyond ASCII as their UTF-8 bytes. */
const toLatin1Expression = (match: RegExp): RegExp =>
  new RegExp(toLatin1(match.source), match.flags.replaceAll('u', ''));

/** Compiles a pattern of a pack. Packs are ours, so the built-in engine runs their expressions. */
export function compilePackPattern({ name, means, literal, startsMessage, match }: LogPattern): CompiledPattern {
  const bare = { name, means, literal: toLatin1(literal), startsMessage: startsMessage === true };
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

/** Patterns that start a node's message are grouped by the first two characters of their literal. */
const toKey = (text: string, at: number): number => text.charCodeAt(at) * 65_536 + text.charCodeAt(at + 1);

/** An expression for any of the literals. */
const toAlternation = (patterns: readonly CompiledPattern[]): RegExp =>
  new RegExp([...new Set(patterns.map(({ literal }) => escapeText(literal)))].join('|'));

/**
 * Matches many patterns at once. In a node's line most literals start the message, so two characters at a fixed offset
 * select the few patterns to compare. The remaining patterns are searched for anywhere in the line; in other lines, all
 * are. The operator's own patterns run on every line. Expressions see the line without a trailing carriage return.
 */
export function createMatcher(pack: readonly CompiledPattern[], own: readonly OwnPattern[] = []): Matcher {
  const anywhere = pack.filter(({ startsMessage }) => !startsMessage);
  const hasAny = toAlternation(pack);
  const hasAnywhere = toAlternation(anywhere);
  const byStart = Map.groupBy(
    pack.filter(({ startsMessage }) => startsMessage),
    (one) => toKey(one.literal, 0),
  );
  for (const key of byStart.keys())
    byStart.set(
      key,
      pack.filter((one) => !one.startsMessage || toKey(one.literal, 0) === key),
    );
  const scansEveryLine = anywhere.length > 0 || own.length > 0;
  // Lines at CRIT are excluded, because a pattern matches the level itself.
  const head = new RegExp(`(?!CRIT)${NODE_HEAD}`, 'y');

  const tryPattern = (pattern: CompiledPattern, line: string, onMatch: OnMatch) => {
    if (pattern.test === undefined) {
      onMatch(pattern, undefined, line);
      return;
    }
    const match = pattern.test(line);
    if (match !== undefined) onMatch(pattern, match.value, line);
  };

  return (text, start, end, onMatch) => {
    head.lastIndex = start;
    const isNode = head.test(text);
    const starting = isNode ? byStart.get(toKey(text, start + NODE_HEAD_LENGTH)) : undefined;
    if (isNode && starting === undefined && !scansEveryLine) return;
    const line = text.slice(start, text.charCodeAt(end - 1) === 13 ? end - 1 : end);
    if (starting !== undefined) {
      for (const pattern of starting) {
        const { startsMessage, literal: text } = pattern;
        // V8 takes three times as long for `startsWith`.
        const found = startsMessage
          ? line.slice(NODE_HEAD_LENGTH, NODE_HEAD_LENGTH + text.length) === text
          : line.includes(text);
        if (found) tryPattern(pattern, line, onMatch);
      }
    } else {
      const candidates = isNode ? anywhere : pack;
      if (candidates.length > 0 && (isNode ? hasAnywhere : hasAny).test(line))
        for (const pattern of candidates) if (line.includes(pattern.literal)) tryPattern(pattern, line, onMatch);
    }
    if (own.length === 0) return;
    const decoded = fromLatin1(line);
    for (const pattern of own) {
      const match = pattern.test(decoded);
      if (match !== undefined) onMatch(pattern, match.value, line);
    }
  };
}
