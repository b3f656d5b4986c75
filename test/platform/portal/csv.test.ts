import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvLine, fromCell } from '../../../src/platform/portal/csv.ts';

it.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['  =1', "'  =1"],
  ['\t1', '"\'\t1"'],
  ['\r1', '"\'\r1"'],
  ['＝1', "'＝1"],
  ['=A,"B"', '"\'=A,""B"""'],
  ['a=b', 'a=b'],
  ['a-b', 'a-b'],
])('a spreadsheet takes %j for a text', (value, cell) => {
  expect(csvLine([value])).toBe(`${cell}\r\n`);
});

it('numbers stay numbers, nothing is empty, and an object is JSON', () => {
  expect(csvLine([-5, 7, true, null, undefined, '', { a: [1, 'b'] }])).toBe('-5,7,true,,,,"{""a"":[1,""b""]}"\r\n');
});

it('whatever the texts are, a cell that is read back has the text, after an apostrophe where it needs one', () => {
  const read = (line: string) =>
    [...line.slice(0, -2).matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g)].map(
      ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
    );
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1, maxLength: 5 }), (texts) => {
      const cells = read(csvLine(texts));
      expect(cells.map(fromCell)).toEqual(texts);
      for (const cell of cells) expect(cell).not.toMatch(/^\s*[=+\-@\t\r]/);
    }),
  );
});
