import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_NUMBER_BYTES, writeNumber } from '../../../src/tell/metrics/write-number.ts';

const write = (value: number): string => {
  const bytes = Buffer.alloc(MAX_NUMBER_BYTES + 2);
  return bytes.toString('latin1', 1, writeNumber(bytes, 1, value));
};

describe('a number is written as JavaScript writes it', () => {
  it.each([0, 1, 9, 10, 99_999_999, 1e8, 1_795_255_012_345, 999_999_999_999_999, 1e15, 1e21, -1, -0.5])(
    '%d',
    (value) => {
      expect(write(value)).toBe(String(value));
    },
  );

  it.each([0.1, 0.25, 0.001, 0.000001, 1e-7, 1.0000001, 1_795_255_012.34, 1_795_255_012.3, 0.1 + 0.2, 5e-324])(
    '%d, which has decimals',
    (value) => {
      expect(write(value)).toBe(String(value));
    },
  );

  it('the longest too, within the bytes that it may take', () => {
    expect(write(-2.2250738585072014e-308)).toHaveLength(MAX_NUMBER_BYTES);
  });

  it('whatever it is', () => {
    const numbers = fc.oneof(
      fc.double({ noNaN: true }),
      fc.double({ noNaN: true, min: -1e7, max: 1e7 }),
      fc.maxSafeInteger(),
      fc.nat({ max: 2e15 }).map((ms) => ms / 1e3),
      fc.nat({ max: 2e9 }).map((micros) => micros / 1e6),
    );
    fc.assert(
      fc.property(numbers, (value) => {
        expect(write(value)).toBe(String(value));
      }),
      { numRuns: 2_000 },
    );
  });
});
