import { expect, test } from 'vitest';
import { findMajority } from '../../src/lib/values.ts';

test('what more than half have is found, and nothing of two equal halves', () => {
  const find = (words: readonly string[]) => findMajority(words, (word) => word[0]);
  expect(find(['a1', 'b1', 'b2'])).toBe('b1');
  expect(find(['a1', 'a2', 'b1', 'b2'])).toBeUndefined();
  expect(find([])).toBeUndefined();
});
