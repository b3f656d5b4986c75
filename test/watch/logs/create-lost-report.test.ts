import { expect, test } from 'vitest';
import { createLostReport } from '../../../src/watch/logs/watch-container-log.ts';

test('losses are reported at once, and then each ten minutes with their number', () => {
  let now = 0;
  const reports: unknown[] = [];
  const lost = createLostReport(
    () => now,
    (after, times) => void reports.push([now, after, times]),
  );
  for (; now <= 1_200_000; now += 100_000) lost(`line ${now}`);
  expect(reports).toEqual([
    [0, 'line 0', 1],
    [600_000, 'line 600000', 6],
    [1_200_000, 'line 1200000', 6],
  ]);
});
