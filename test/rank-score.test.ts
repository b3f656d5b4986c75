import { expect, it } from 'vitest';
import { rankScore } from './support/rank-score.ts';

const every = (step: number, start: number) => Array.from({ length: 200 }, (_, index) => start + index * step);

it('groups of the same ranks have no score, and groups that are apart a large one', () => {
  expect(Math.abs(rankScore(every(2, 0), every(2, 1)))).toBeLessThan(0.2);
  expect(rankScore(every(1, 0), every(1, 200))).toBeLessThan(-15);
  expect(rankScore(every(1, 200), every(1, 0))).toBeGreaterThan(15);
  // A tenth of the spread is found in 200 measurements.
  expect(rankScore(every(1, 0), every(1, 30))).toBeLessThan(-4);
});
