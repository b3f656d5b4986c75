import { expect, test } from 'vitest';
import { formatDuration } from '../../src/lib/duration.ts';

test('a duration is rounded before it is cut into units, so that none has sixty of the smaller one', () => {
  const minute = 60_000;
  const hour = 60 * minute;
  const texts = [999.6, 59_600, 3_599_600, 5 * hour - 1_000, 5 * hour - 31_000, hour + 29_000].map(formatDuration);
  expect(texts).toEqual(['1s', '1m', '1h', '5h', '4h 59m', '1h']);
});

test('a duration of two days or more is in days', () => {
  const minute = 60_000;
  const hour = 60 * minute;
  const texts = [48 * hour - minute, 48 * hour - 29_000, 52 * hour + 20 * minute, 72 * hour - minute, 2_400 * hour];
  expect(texts.map(formatDuration)).toEqual(['47h 59m', '2d', '2d 4h', '3d', '100d']);
});
