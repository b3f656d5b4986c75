import { createLineCutter } from '../lib/bytes.ts';
import { COMPONENTS, type Component } from '../model/target.ts';
import { ESCAPE, fromLatin1, hasForm, toLatin1 } from '../watch/logs/match/line-form.ts';

/** Lines that are looked at, and characters of them; what saved a log treats all of them alike. */
const SAMPLE = { lines: 2_000, chars: 4 * 2 ** 20 };
/** No tool puts more before a line. */
const LONGEST_PREFIX = 200;
/** Colours of a terminal, also where copying has lost the escape character. */
const COLOURS = new RegExp(String.raw`(?:${ESCAPE.charAt(0)}|\^\[)?\[\d[\d;]*m`, 'g');

/** How a tool wraps the lines that it saves: what it puts before them, and the member of JSON that holds them. */
interface Wrapping {
  /** The source of an expression, empty for nothing. */
  readonly before: string;
  readonly member?: string;
}

/** The same for each line: other words and numbers in the same places. */
const toShape = (before: string): string =>
  before.replaceAll(/([\w\x80-\xff]+)|(\s+)|./g, (one, word, space) =>
    word ? '[\\w\\x80-\\xff]+' : space ? '\\s+' : `\\${one}`,
  );

/** The journal writes a text with other characters than those of text as an array of bytes. */
const toText = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? toLatin1(value)
    : Array.isArray(value) && typeof value[0] === 'number'
      ? Buffer.from(value).toString('latin1')
      : undefined;

/** The first text in JSON, at any depth, that is asked for; its line break belongs to the tool. */
function findText(json: string, isIt: (key: string, text: string) => boolean) {
  let found: { readonly key: string; readonly text: string } | undefined;
  try {
    JSON.parse(fromLatin1(json), (key, value) => {
      const text = found === undefined ? toText(value)?.replace(/\r?\n$/, '') : undefined;
      if (text !== undefined && isIt(key, text)) found = { key, text };
      return value;
    });
  } catch {
    return undefined;
  }
  return found;
}

function findIn(component: Component, line: string): Wrapping | undefined {
  for (let at = 0; at < Math.min(line.length, LONGEST_PREFIX); at++) {
    if (at > 0 && !/[\s|:\]]/.test(line.charAt(at - 1))) continue;
    const rest = line.slice(at);
    const before = toShape(line.slice(0, at));
    if (hasForm(component, rest)) return { before };
    const member = rest.startsWith('{') ? findText(rest, (_, text) => hasForm(component, text))?.key : undefined;
    if (member !== undefined) return { before, member };
  }
  return undefined;
}

async function readSample(chunks: AsyncIterable<string>): Promise<readonly string[]> {
  const lines: string[] = [];
  let chars = 0;
  const cutter = createLineCutter();
  const onLine = (text: string, start: number, end: number) => {
    if (lines.length < SAMPLE.lines && chars < SAMPLE.chars) lines.push(text.slice(start, end).trimEnd());
    chars += end - start;
  };
  for await (const chunk of chunks) {
    cutter.push(chunk, onLine);
    if (lines.length >= SAMPLE.lines || chars >= SAMPLE.chars) break;
  }
  cutter.flush(onLine);
  return lines.filter((line) => line !== '');
}

/**
 * How to take the lines of a program out of a log that another tool has wrapped, as most of its lines show; undefined if lines
 * of a program, be it another one, stand there as they are, or nowhere. Lines are Latin-1.
 */
export async function findWrapping(
  component: Component,
  chunks: AsyncIterable<string>,
): Promise<((line: string) => string) | undefined> {
  const sample = await readSample(chunks);
  if (sample.some((line) => COMPONENTS.some((each) => hasForm(each, line)))) return undefined;
  const plain = sample.map((line) => line.replaceAll(COLOURS, ''));
  const seen = new Set<string>();
  for (const line of plain) {
    const { before, member } = findIn(component, line) ?? {};
    if (before === undefined || seen.has(`${before} ${member}`)) continue;
    seen.add(`${before} ${member}`);
    const prefix = new RegExp(`^${before}`);
    const unwrap = (wrapped: string): string | undefined => {
      const bare = wrapped.replaceAll(COLOURS, '');
      const rest = prefix.test(bare) ? bare.replace(prefix, '') : undefined;
      if (member === undefined || rest === undefined) return rest;
      return findText(rest, (key) => key === member)?.text;
    };
    if (plain.filter((each) => unwrap(each) !== undefined).length * 2 > plain.length)
      return (wrapped) => unwrap(wrapped) ?? wrapped;
  }
  return undefined;
}
