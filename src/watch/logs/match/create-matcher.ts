import type { LogPattern, Meaning } from '../../../model/log.ts';
import type { Match, OwnPattern } from './compile-own-pattern.ts';
import {
  ESCAPE,
  fromLatin1,
  isNethermindLine,
  LONG_NODE_HEAD,
  NETHERMIND_HEAD,
  NODE_HEAD,
  splitLine,
  toLatin1,
  toPrinted,
} from './line-form.ts';

/** A pattern of a pack, compiled for Latin-1 lines without their line break. */
export interface CompiledPattern {
  readonly name: string;
  readonly means: Meaning;
  /** Latin-1 text of every matching record. */
  readonly literal: string;
  /** As in `LogPattern`. */
  readonly anywhere: boolean;
  /** As in `LogPattern`. */
  readonly ends: boolean;
  /** As in `LogPattern`. */
  readonly mark: RegExp;
  /** As in `LogPattern`. */
  readonly level?: LogPattern['level'];
  /** Receives the record of the line. Absent when the literal alone decides. */
  readonly test?: (record: string) => Match | undefined;
}

/** Called with each pattern that a line matches; `line` is Latin-1, and `stamp` that of a line before this one. */
export type OnMatch = (
  pattern: CompiledPattern | OwnPattern,
  value: string | undefined,
  line: string,
  stamp?: number,
) => void;

/** Tests one line against all patterns; the line comes as `OnLine` receives it. */
export interface Matcher {
  (text: string, start: number, end: number, onMatch: OnMatch): void;
  /** Tells what only the end of the log decides. */
  end(onMatch: OnMatch): void;
}

const escapeText = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Rewrites characters beyond ASCII as their UTF-8 bytes. */
const toLatin1Expression = (match: RegExp): RegExp =>
  new RegExp(toLatin1(match.source), match.flags.replaceAll('u', ''));

const QUOTED = /="(?:[^"\\]|\\.)*"/g;

/** Finds the expression; a value is not read out of a quoted one. */
function findIn(record: string, expression: RegExp): Match | undefined {
  const found = expression.exec(record);
  if (found === null) return undefined;
  if (found[1] === undefined) return {};
  const quote = record.indexOf('"');
  if (quote < 0 || quote > found.index) return { value: found[1] };
  const value = expression.exec(record.replaceAll(QUOTED, '=""'))?.[1];
  return value === undefined ? undefined : { value };
}

/** Compiles a pattern of a pack. Packs are ours, so the built-in engine runs their expressions. */
function compilePackPattern(pattern: LogPattern): CompiledPattern {
  const { name, means, literal: text, anywhere = false, ends = false, level, match } = pattern;
  const literal = toLatin1(text);
  const bare = { name, means, literal, anywhere, ends, mark: pattern.mark ?? new RegExp(escapeText(literal)), level };
  if (match === undefined) return bare;
  const expression = toLatin1Expression(match);
  return { ...bare, test: (record) => findIn(record, expression) };
}

/** Patterns that start a message are grouped by the first two characters of their literal. */
const toKey = (text: string, at: number): number => text.charCodeAt(at) * 65_536 + text.charCodeAt(at + 1);

/** An expression for any of the texts. */
const toAlternation = (texts: readonly string[]): RegExp => new RegExp([...new Set(texts.map(escapeText))].join('|'));

/**
 * A geth node names the method of each call that it served in the message itself. The caller chooses the name, and a line
 * break in it is printed as one.
 */
const SERVED = 'Served ';
/** What Nethermind says first. */
const STARTS = 'Nethermind is starting up';
/** A program writes a message at once; what comes later is another one. */
const MESSAGE_WITHIN_MS = 5_000;

/** Lines at CRIT are excluded, as a pattern of the level has no text to select it by. */
const head = new RegExp(`(?!CRIT)${NODE_HEAD}`, 'y');
/** Apart, as an optional part makes reading a large log a tenth slower. */
const longHead = new RegExp(`(?!CRIT)${LONG_NODE_HEAD}`, 'y');
const nethermindHead = new RegExp(NETHERMIND_HEAD, 'y');
const HEAD_LENGTH = 'INFO [11-21|07:42:00] '.length;

/** What every line has that such a pattern may match. */
const toNeeded = ({ literal, mark }: CompiledPattern): RegExp =>
  literal === '' ? mark : new RegExp(escapeText(literal));

/** The patterns of a pack, compiled, and what selects the few of them that a line may match. Keeps no state of a log. */
export type CompiledPack = ReturnType<typeof compilePack>;

/** Compiles a pack without the patterns of these names. */
export function compilePack(patterns: readonly LogPattern[], replaced: ReadonlySet<string> = new Set()) {
  const pack = patterns.filter(({ name }) => !replaced.has(name)).map(compilePackPattern);
  const anywhere = pack.filter((pattern) => pattern.anywhere);
  const starting = pack.filter((pattern) => !pattern.anywhere);
  const needed = starting.flatMap(({ literal, level = '' }) =>
    literal === '' ? [level, level.toLowerCase()] : [literal],
  );
  const keys = new Set(
    [...starting.map(({ literal }) => literal), SERVED].filter(Boolean).map((literal) => toKey(literal, 0)),
  );
  return {
    ordered: [...starting, ...anywhere],
    anywhere,
    ends: pack.filter((pattern) => pattern.ends),
    // JSON and logfmt end a message where a terminal pads it with spaces.
    hasAny: new RegExp(
      [toAlternation([...needed, SERVED].map((text) => text.trimEnd())), ...anywhere.map(toNeeded)]
        .map(({ source }) => source)
        .join('|'),
    ),
    marks:
      anywhere.length > 0
        ? new RegExp([...new Set(anywhere.map(({ mark }) => mark.source))].join('|'), 'g')
        : undefined,
    byStart: new Map([...keys].map((key) => [key, starting.filter(({ literal }) => toKey(literal, 0) === key)])),
  };
}

/**
 * Matches many patterns at once, where the program itself writes: most literals must start the message. In a line with
 * the head of a node, two characters behind it select the few patterns to compare; other lines are taken apart once they
 * hold a literal. The operator's own patterns run on every whole line. Expressions see no trailing carriage return. Keeps
 * the state of one log; `now` is the time of reading, in Unix milliseconds, and `stampOf` the stamp of the line that is read.
 */
export function createMatcher(
  { ordered, anywhere, ends, hasAny, marks, byStart }: CompiledPack,
  own: readonly OwnPattern[] = [],
  now: () => number = Date.now,
  stampOf: () => number | undefined = () => undefined,
): Matcher {
  /** When the unfinished message about a served call began. */
  let servedAt: number | undefined;
  /** When Nethermind last began a message. It prints line breaks as they are, too, and each message has a head. */
  let nethermindAt: number | undefined;

  /** What may have ended the program, or be the rest of a message: the next message shows it. */
  let ending: Parameters<OnMatch> | undefined;

  const settle = (hasEnded: boolean, onMatch: OnMatch) => {
    if (hasEnded && ending !== undefined) onMatch(...ending);
    ending = undefined;
  };

  /** Many lines come in one text, so the text is searched and not each line. Where its next mark begins. */
  let searched = '';
  let markedAt = 0;

  const isMarked = (text: string, start: number, end: number): boolean => {
    if (marks === undefined) return false;
    if (markedAt < start || searched !== text) {
      marks.lastIndex = start;
      markedAt = marks.exec(text)?.index ?? Number.POSITIVE_INFINITY;
    }
    // The last line of a text lets go of it.
    searched = end < text.length - 1 ? text : '';
    return markedAt < end;
  };

  const tryPattern = (pattern: CompiledPattern, record: string, line: string, onMatch: OnMatch) => {
    const match = pattern.test === undefined ? {} : pattern.test(record);
    if (match !== undefined) onMatch(pattern, match.value, line);
    return match !== undefined;
  };

  const tryAll = (
    patterns: readonly CompiledPattern[],
    record: string,
    printed: string,
    line: string,
    onMatch: OnMatch,
    isNethermind: boolean,
  ) => {
    const isServed = record.charCodeAt(0) === SERVED.charCodeAt(0) && record.startsWith(SERVED);
    // Nethermind prints what others sent in many messages, so only what a message of the pack says is its own.
    let isOwn = !isNethermind;
    // Its fields end the message, so one without them goes on in the next line.
    if (isServed && !record.includes('=')) servedAt = now();
    for (const pattern of patterns) {
      const { literal } = pattern;
      // V8 takes three times as long for `startsWith`.
      const found = pattern.anywhere
        ? isOwn && !isServed && record.includes(literal)
        : record.slice(0, literal.length) === literal;
      // Few patterns ask for a level, and taking the line apart costs more than all the rest.
      if (!found || (pattern.level !== undefined && pattern.level !== splitLine(printed).level)) continue;
      if (tryPattern(pattern, record, line, onMatch)) isOwn = true;
    }
  };

  /** Is the line a part of the message before it? Then somebody else may have written it. */
  const continues = (line: string): boolean => {
    const at = now();
    const isServed = servedAt !== undefined && at - servedAt < MESSAGE_WITHIN_MS;
    if (!isServed || line.includes('=')) servedAt = undefined;
    if (isServed) return true;
    if (nethermindAt !== undefined && at - nethermindAt >= MESSAGE_WITHIN_MS) nethermindAt = undefined;
    const printed = toPrinted(line);
    if (nethermindAt === undefined || isNethermindLine(printed)) return false;
    const pattern = ends.find(({ literal }) => printed.startsWith(literal));
    if (pattern !== undefined) ending ??= [pattern, undefined, line, stampOf()];
    return true;
  };

  const tryOther = (line: string, onMatch: OnMatch) => {
    const printed = toPrinted(line);
    const isNethermind = isNethermindLine(printed);
    if (isNethermind) nethermindAt = now();
    if (isNethermind && ending !== undefined) settle(splitLine(printed).record.startsWith(STARTS), onMatch);
    if (!hasAny.test(printed)) return;
    tryAll(ordered, splitLine(printed).record, printed, line, onMatch, isNethermind);
  };

  const matchLine = (text: string, start: number, end: number, onMatch: OnMatch) => {
    head.lastIndex = start;
    let at = head.test(text) ? start + HEAD_LENGTH : 0;
    if (at === 0) {
      longHead.lastIndex = start;
      if (longHead.test(text)) at = longHead.lastIndex;
    }
    let isNethermind = false;
    if (at === 0) {
      nethermindHead.lastIndex = start;
      isNethermind = nethermindHead.test(text);
      if (isNethermind) at = nethermindHead.lastIndex;
    }
    const isNode = at > 0;
    const candidates = isNode ? byStart.get(toKey(text, at)) : undefined;
    const isAlone = servedAt === undefined && (isNethermind || nethermindAt === undefined);
    if (isNethermind && isAlone) nethermindAt = now();
    if (isNethermind && isAlone && ending !== undefined) settle(text.startsWith(STARTS, at), onMatch);
    const hasMark = isMarked(text, start, end);
    if (isNode && candidates === undefined && !hasMark && own.length === 0 && isAlone) return;
    const line = text.slice(start, text.charCodeAt(end - 1) === 13 ? end - 1 : end);
    if (isAlone || !continues(line)) {
      // Nethermind's messages may be coloured although its head is not.
      if (!isNode || (isNethermind && (!isAlone || line.includes(ESCAPE)))) tryOther(line, onMatch);
      else {
        const chosen = hasMark ? [...(candidates ?? []), ...anywhere] : candidates;
        if (chosen) tryAll(chosen, line.slice(at - start), line, line, onMatch, isNethermind);
      }
    }
    if (own.length === 0) return;
    const decoded = fromLatin1(line);
    for (const pattern of own) {
      const match = pattern.test(decoded);
      if (match !== undefined) onMatch(pattern, match.value, line);
    }
  };
  return Object.assign(matchLine, { end: (onMatch: OnMatch) => settle(true, onMatch) });
}
