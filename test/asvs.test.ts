import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');

/** The requirements of levels 1 and 2 of OWASP ASVS 4.0.3, by their sections. */
const REQUIREMENTS: Readonly<Record<string, readonly number[]>> = {
  '2.1': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  '2.2': [1, 2, 3],
  '2.3': [1, 2, 3],
  '2.4': [1, 2, 3, 4, 5],
  '2.5': [1, 2, 3, 4, 5, 6, 7],
  '2.6': [1, 2, 3],
  '2.7': [1, 2, 3, 4, 5, 6],
  '2.8': [1, 2, 3, 4, 5, 6, 7],
  '2.9': [1, 2, 3],
  '2.10': [1, 2, 3, 4],
  '3.1': [1],
  '3.2': [1, 2, 3, 4],
  '3.3': [1, 2, 3, 4],
  '3.4': [1, 2, 3, 4, 5],
  '3.5': [1, 2, 3],
  '3.7': [1],
  '4.1': [1, 2, 3, 5],
  '4.2': [1, 2],
  '4.3': [1, 2, 3],
  '5.1': [1, 2, 3, 4, 5],
  '5.2': [1, 2, 3, 4, 5, 6, 7, 8],
  '5.3': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  '5.4': [1, 2, 3],
  '5.5': [1, 2, 3, 4],
  '6.1': [1, 2, 3],
  '6.2': [1, 2, 3, 4, 5, 6],
  '6.3': [1, 2],
  '6.4': [1, 2],
  '7.1': [1, 2, 3, 4],
  '7.2': [1, 2],
  '7.3': [1, 3, 4],
  '7.4': [1, 2, 3],
  '8.1': [1, 2, 3, 4],
  '8.2': [1, 2, 3],
  '8.3': [1, 2, 3, 4, 5, 6, 7, 8],
  '9.1': [1, 2, 3],
  '9.2': [1, 2, 3, 4],
  '12.1': [1, 2, 3],
  '12.2': [1],
  '12.3': [1, 2, 3, 4, 5, 6],
  '12.4': [1, 2],
  '12.5': [1, 2],
  '12.6': [1],
  '13.1': [1, 3, 4, 5],
  '13.2': [1, 2, 3, 5, 6],
  '13.3': [1, 2],
  '13.4': [1, 2],
  '14.1': [1, 2, 3, 4],
  '14.2': [1, 2, 3, 4, 5, 6],
  '14.3': [2, 3],
  '14.4': [1, 2, 3, 4, 5, 6, 7],
  '14.5': [1, 2, 3, 4],
};
const NUMBERS = Object.entries(REQUIREMENTS).flatMap(([section, numbers]) => numbers.map((one) => `${section}.${one}`));

interface Line {
  readonly number: string;
  readonly asks: string;
  readonly answer: string;
  readonly where: string;
}

const lines: readonly Line[] = [
  ...read('docs/security.md').matchAll(/^\| (\d+\.\d+\.\d+) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$/gm),
].map(([, number = '', asks = '', answer = '', where = '']) => ({ number, asks, answer, where }));

const slugsOf = (file: string): readonly string[] =>
  [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

describe('the page on security', () => {
  it('has one line for each requirement, in their order', () => {
    expect(lines.map(({ number }) => number)).toEqual(NUMBERS);
  });

  it.each(lines)('answers $number, and names a file or heading that exists', ({ asks, answer, where }) => {
    expect(asks).not.toBe('');
    expect(['yes', 'no', 'n/a']).toContain(answer);
    const links = [...where.matchAll(/\]\(([^)#]*)(?:#([^)]+))?\)/g)].map(([, file = '', heading]) => ({
      file: file === '' ? 'docs/security.md' : new URL(file, new URL('docs/', root)).href.slice(root.href.length),
      heading,
    }));
    const files = [...where.matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|json|yml)|src\/[\w/]+|Dockerfile)`/g)].map(
      ([, file = '']) => file,
    );
    expect(links.length + files.length).toBeGreaterThan(0);
    for (const file of files) expect(existsSync(new URL(file, root)), file).toBe(true);
    for (const { file, heading } of links) {
      expect(globSync(file, { cwd: root })).toEqual([file]);
      if (heading !== undefined) expect(slugsOf(file)).toContain(heading);
    }
  });
});
