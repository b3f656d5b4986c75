import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toComments } from './support/comments.ts';
import { findLongSentences, findPrivateWords, type PrivateWord } from './support/prose.ts';

const root = new URL('../', import.meta.url);
const files = globSync('{src,test,bench,scripts,grafana/build}/**/*.ts', { cwd: root }).sort();

/** Words that a reader of a comment has to decode, beside those of pages; the word to use for each. */
const PRIVATE_WORDS: readonly PrivateWord[] = [
  [/\btall(?:y|ies)\b/i, 'increase window, counter'],
  [/\bof one (?:which|that cannot)\b/i, 'that cannot be'],
  [/\bwhat lies (?:outside|behind|beside)\b/i, 'what is outside, behind or beside'],
  [/\bwherein\b/i, 'in which'],
  [/\bunder way\b/i, 'in progress, running'],
];

const commentsOf = (file: string) => toComments(readFileSync(new URL(file, root), 'utf8'));

describe('the comments of the source', () => {
  it('have no sentence of more than thirty words', () => {
    expect(files.flatMap((file) => findLongSentences(file, commentsOf(file)))).toEqual([]);
  });

  it('use no word that has to be decoded', () => {
    expect(files.flatMap((file) => findPrivateWords(file, commentsOf(file), PRIVATE_WORDS))).toEqual([]);
  });
});

describe('comments', () => {
  it('are blocks, and lines that follow each other, with the number of their first line', () => {
    const source =
      '/** One. */\nconst a = 1;\n  /**\n   * Two\n   * three.\n   */\n// Four\n// five.\n\n// Six.\nconst b = 2;';
    expect(toComments(source)).toEqual([
      { line: 1, text: 'One.' },
      { line: 3, text: 'Two three.' },
      { line: 7, text: 'Four five.' },
      { line: 10, text: 'Six.' },
    ]);
  });

  it('have a piece of code as one word, and end before a block that follows', () => {
    expect(toComments('// See `a b c`.\n/** Next. */')).toEqual([
      { line: 1, text: 'See code.' },
      { line: 2, text: 'Next.' },
    ]);
  });
});
