import { expect, it } from 'vitest';
import { count } from '../../../src/web/frame/times.ts';

it('a count has commas between thousands', () => {
  expect([0, 999, 1_000, 12_345, 1_234_567, -1_234].map(count)).toEqual([
    '0',
    '999',
    '1,000',
    '12,345',
    '1,234,567',
    '-1,234',
  ]);
});
