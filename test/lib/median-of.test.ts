import { expect, test } from 'vitest';
import { medianOf } from '../../src/lib/numbers.ts';

test('the median is the value in the middle by size, and of two in the middle the smaller one', () => {
  expect(medianOf([100, 9, 20])).toBe(20);
  expect(medianOf([100, 9])).toBe(9);
  expect(medianOf([10n ** 20n, 9n, 10n ** 19n, 8n])).toBe(9n);
  expect(medianOf([])).toBeUndefined();
});
