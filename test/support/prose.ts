/** A piece of text that a reader takes in as one: a paragraph, a list item, a heading or a cell of a table. */
export interface ProseBlock {
  /** Where it begins, from 1. */
  readonly line: number;
  /** Without Markdown's marks; a piece of code is one word. */
  readonly text: string;
}

/** Lines of Markdown with everything blanked that is no prose: fenced code and comments. Line numbers stay. */
function blankCode(markdown: string): readonly string[] {
  const withoutComments = markdown.replaceAll(/<!--[\s\S]*?-->/g, (comment) => comment.replaceAll(/[^\n]/g, ''));
  let fence: string | undefined;
  return withoutComments.split('\n').map((line) => {
    const [, mark] = /^\s*(```|~~~)/.exec(line) ?? [];
    if (fence === undefined && mark === undefined) return line;
    if (fence === undefined) fence = mark;
    else if (mark === fence) fence = undefined;
    return '';
  });
}

/** Markdown of one block to the words that are read: images go, links keep their text, code becomes one word. */
const toText = (markdown: string): string =>
  markdown
    .replaceAll(/(`+)(?:(?!\1)[\s\S])+\1/g, 'code')
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<br>/g, '. ')
    .replaceAll(/\*\*|__/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

const isRow = (line: string): boolean => /^\s*\|/.test(line);

/** Backslashed bars are text and no borders of cells. */
const cellsOf = (row: string): readonly string[] => row.replaceAll(/\\\|/g, '/').split('|');

/** The prose of a Markdown page, block by block. */
export function toProse(markdown: string): readonly ProseBlock[] {
  const blocks: ProseBlock[] = [];
  let open: { readonly line: number; text: string } | undefined;
  const close = () => {
    if (open) blocks.push({ line: open.line, text: toText(open.text) });
    open = undefined;
  };
  blankCode(markdown).forEach((line, index) => {
    const number = index + 1;
    if (isRow(line)) {
      close();
      for (const cell of cellsOf(line)) blocks.push({ line: number, text: toText(cell) });
      return;
    }
    const begins = /^\s*(#{1,6}\s|[-*]\s|\d+\.\s)/.test(line);
    if (begins || line.trim() === '') close();
    if (line.trim() === '') return;
    const text = line.replace(/^\s*(#{1,6}\s|[-*]\s|\d+\.\s|>\s)/, '');
    if (open) open.text += ` ${text}`;
    else open = { line: number, text };
    if (/^\s*#{1,6}\s/.test(line)) close();
  });
  close();
  return blocks.filter(({ text }) => /\p{L}/u.test(text));
}

/** Sentences of a block: they end at `.`, `!` or `?`, or a bracket or quote after it, before a space. */
export const toSentences = (text: string): readonly string[] =>
  text
    .split(/(?<=(?<!\b(?:e\.g|i\.e|etc|vs))[.!?]["')\]]?)\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');

/** Words hold a letter or a digit; signs between them do not count. */
export const countWords = (text: string): number =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** Lines of prose, code and tables left out, which cannot be wrapped. */
export const toLines = (markdown: string): readonly { readonly line: number; readonly text: string }[] =>
  blankCode(markdown)
    .map((text, index) => ({ line: index + 1, text }))
    .filter(({ text }) => !isRow(text));

/** The most words that a sentence may have. */
const MAX_WORDS = 30;

/** Sentences that are too long, each with its place in a file. */
export const findLongSentences = (file: string, blocks: readonly ProseBlock[]): readonly string[] =>
  blocks.flatMap(({ line, text }) =>
    toSentences(text)
      .filter((sentence) => countWords(sentence) > MAX_WORDS)
      .map((sentence) => `${file}:${line}: ${countWords(sentence)} words: ${sentence}`),
  );

/** A word that a reader has to decode, in every form that has no other meaning, and the word to use. */
export type PrivateWord = readonly [RegExp, string];

/** Those of pages and comments alike. */
const PRIVATE_WORDS: readonly PrivateWord[] = [
  [/\banew\b/i, 'again'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\blook(?:er|ers|Now)\b/, 'prober, probeNow'],
  [/\bsightings?\b/i, 'alert instance'],
  [/\bstand(?:s|ing)? still\b/i, 'stalled'],
  [/\btold\b/i, 'notified, reported, or say who does what'],
  [/\b(?:has|have) not the\b/i, 'has fewer than, or lacks'],
  [/\bfor want of\b/i, 'because it ran out of'],
];

/** Private words, the common ones and `more`, each with its place in a file. */
export const findPrivateWords = (
  file: string,
  blocks: readonly ProseBlock[],
  more: readonly PrivateWord[],
): readonly string[] =>
  blocks.flatMap(({ line, text }) =>
    [...PRIVATE_WORDS, ...more]
      .filter(([word]) => word.test(text))
      .map(([, say]) => `${file}:${line}: say ${say}: ${text}`),
  );
