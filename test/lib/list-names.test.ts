import { expect, test } from 'vitest';
import { joinAnd, listEach, listFirst, listNames } from '../../src/lib/words.ts';

test('names are listed as far as there is room for them, and the others are counted', () => {
  expect(listNames([])).toBe('');
  expect(listNames(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c, d, e');
  expect(listNames(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBe('a, b, c, d, e and 2 others');
  expect(listNames(['a', 'b', 'c'], 1)).toBe('a and 2 others');
});

test('of many only those that are listed are asked for their names', () => {
  const asked: number[] = [];
  const nameOf = (one: number) => {
    asked.push(one);
    return `n${one}`;
  };
  expect(listEach([1, 2, 3, 4], nameOf, 2)).toBe('n1, n2 and 2 others');
  expect(asked).toEqual([1, 2]);
});

test('words of which all are said end with an and', () => {
  expect([joinAnd([]), joinAnd(['a']), joinAnd(['a', 'b', 'c'])]).toEqual(['', 'a', 'a, b and c']);
});

test('of texts the first ones are listed, and the rest is counted after a comma', () => {
  const list = (most: number) => listFirst(['n1 is out, as asked', 'n2 hangs', 'n3 is late'], most);
  expect([list(3), list(2), list(1)]).toEqual([
    'n1 is out, as asked, n2 hangs, n3 is late',
    'n1 is out, as asked, n2 hangs, and 1 more',
    'n1 is out, as asked, and 2 more',
  ]);
  expect(listFirst([], 3)).toBe('');
});
