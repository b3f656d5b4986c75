import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toComments } from './support/comments.ts';
import { countWords, toSentences } from './support/prose.ts';

const root = new URL('../', import.meta.url);
const files = globSync('{src,test,bench,scripts,grafana/build}/**/*.ts', { cwd: root }).sort();

const MAX_WORDS = 30;

/** Words of a private language, in every form that has no other meaning in a comment, with the word to use. */
const PRIVATE_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\blook(?:er|ers|Now)\b/, 'prober, probeNow'],
  [/\bsightings?\b/i, 'alert instance'],
  [/\btall(?:y|ies)\b/i, 'increase window, counter'],
  [/\bstand(?:s|ing)? still\b/i, 'stalled'],
  [/\btold\b/i, 'notified, reported'],
  [/\b(?:has|have) not the\b/i, 'lacks, has fewer than'],
  [/\bof one (?:which|that cannot)\b/i, 'that cannot be'],
  [/\bfor want of\b/i, 'because it ran out of'],
  [/\bwhat lies (?:outside|behind|beside)\b/i, 'what is outside, behind or beside'],
  [/\bwherein\b/i, 'in which'],
  [/\bunder way\b/i, 'in progress, running'],
];

const commentsOf = (file: string) => toComments(readFileSync(new URL(file, root), 'utf8'));

describe('the comments of the source', () => {
  it('have no sentence of more than thirty words', () => {
    const long = files.flatMap((file) =>
      commentsOf(file).flatMap(({ line, text }) =>
        toSentences(text)
          .filter((sentence) => countWords(sentence) > MAX_WORDS)
          .map((sentence) => `${file}:${line}: ${countWords(sentence)} words: ${sentence}`),
      ),
    );
    expect(long).toEqual([]);
  });

  it('use no word that has to be decoded', () => {
    const found = files.flatMap((file) =>
      commentsOf(file).flatMap(({ line, text }) =>
        PRIVATE_WORDS.filter(([word]) => word.test(text)).map(([, say]) => `${file}:${line}: say ${say}: ${text}`),
      ),
    );
    expect(found).toEqual([]);
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
