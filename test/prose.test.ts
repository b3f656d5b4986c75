import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  countWords,
  findLongSentences,
  findPrivateWords,
  type PrivateWord,
  toLines,
  toProse,
  toSentences,
} from './support/prose.ts';

const root = new URL('../', import.meta.url);

/** The summaries in the table of docs/alerts.md are left out: they are texts of alerts. */
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...globSync('docs/{*,decisions/*,alerts/*}.md', { cwd: root }),
];
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
const readOwn = (file: string): string =>
  file === 'docs/alerts.md'
    ? read(file).replace(/(?<=<!-- table -->)[\s\S]*(?=<!-- end of table -->)/, '')
    : read(file);

const MAX_LINE = 140;
/** Words that a reader of a page has to decode, beside those of comments; the field's word for each. */
const PRIVATE_WORDS: readonly PrivateWord[] = [
  [/\bof one (?:that|which)\b/i, 'a sentence of its own'],
  [/\bwhat lies (?:outside|behind)\b/i, 'what is outside, or behind'],
];

describe('the words of the documentation', () => {
  it.each(pages)('%s has no sentence of more than thirty words', (file) => {
    expect(findLongSentences(file, toProse(read(file)))).toEqual([]);
  });

  it.each(pages)('%s has no line of more than 140 characters outside of code and tables', (file) => {
    const long = toLines(read(file)).filter(({ text }) => text.length > MAX_LINE);
    expect(long.map(({ line, text }) => `${file}:${line}: ${text}`)).toEqual([]);
  });

  it.each(pages)('%s uses no word that has to be decoded', (file) => {
    expect(findPrivateWords(file, toProse(readOwn(file)), PRIVATE_WORDS)).toEqual([]);
  });
});

describe('sentences', () => {
  const count = (markdown: string) =>
    toProse(markdown).flatMap(({ text }) => toSentences(text).map((sentence) => countWords(sentence)));

  it('end at a full stop, an exclamation mark or a question mark, also before a bracket', () => {
    expect(toSentences('Stop it! (Is it dead?) It is. Wait 1.5 s, e.g. for v0.3.1.')).toEqual([
      'Stop it!',
      '(Is it dead?)',
      'It is.',
      'Wait 1.5 s, e.g. for v0.3.1.',
    ]);
  });

  it('do not run over a heading, a list item, a cell or a blank line', () => {
    expect(count('# One two\nthree\n\n- four five\n- six\n  seven eight\n\n| nine | ten eleven |')).toEqual([
      2, 1, 2, 3, 1, 2,
    ]);
  });

  it('count a piece of code as one word, a link by its text, and nothing of blocks of code and comments', () => {
    expect(
      count('See `a b c` and [the page](x.md).\n```sh\none two three\n```\n<!-- four -->\n![a picture](y.png)'),
    ).toEqual([5]);
  });

  it('are counted by words, not by the signs between them', () => {
    expect(countWords('4 nodes – 3 = 1 & counting')).toBe(5);
  });

  it('of a line are found with its number', () => {
    expect(toProse('First.\n\nSecond,\nwith more.').map(({ line }) => line)).toEqual([1, 3]);
    expect(toLines('a\n```\nb\n```\n| c |\nd').filter(({ text }) => text !== '')).toEqual([
      { line: 1, text: 'a' },
      { line: 6, text: 'd' },
    ]);
  });
});
