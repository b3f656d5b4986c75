import { describe, expect, test } from 'vitest';
import { addTo, isSampled, leastShare } from '../../src/model/lag.ts';

describe('the least share that a tally shows', () => {
  test('is the lower end of the Wilson interval at three standard deviations', () => {
    const least = (hits: number, of: number) => Number(leastShare({ hits, of }).toFixed(4));
    expect([least(1, 10), least(15, 100), least(150, 1_000), least(10, 10)]).toEqual([0.0092, 0.0723, 0.1193, 0.5263]);
  });

  test('is nothing without a hit, and where nothing was counted', () => {
    expect([leastShare({ hits: 0, of: 500 }), leastShare({ hits: 0, of: 0 })]).toEqual([0, 0]);
  });
});

test('what was counted long ago counts less', () => {
  const before = { of: 100, hits: 40 };
  expect(addTo(before, 300, 0, 300)).toEqual({ of: 350, hits: 20 });
});

test('a quarter of all blocks is compared, of each proposer alike', () => {
  for (const masternodes of [3, 4, 7, 108]) {
    const counts = Array.from(
      { length: masternodes },
      (_, place) => Array.from({ length: 1_000 }, (_, index) => index * masternodes + place).filter(isSampled).length,
    );
    expect(Math.min(...counts)).toBeGreaterThan(200);
    expect(Math.max(...counts)).toBeLessThan(300);
  }
});
