import { expect, test } from 'vitest';
import { dropAges, formatMoment } from '../../src/lib/duration.ts';

const NOW = Date.parse('2026-11-27T16:12:54.400Z');
/** Watched time that is an hour behind. */
const moment = { now: NOW - 3_600_000, toWall: (at: number) => at + 3_600_000 };
const before = (ms: number) => formatMoment(moment.now - ms, moment);

const SAID = [
  [-5_000, 'just now (16:12:59 UTC)', 'at 16:12:59 UTC'],
  [999, 'just now (16:12:53 UTC)', 'at 16:12:53 UTC'],
  [26_000, '26s ago (16:12:28 UTC)', 'at 16:12:28 UTC'],
  [125_000, '2m 5s ago (16:10:49 UTC)', 'at 16:10:49 UTC'],
  [24 * 3_600_000 - 1, '24h ago (16:12:54 UTC)', 'at 16:12:54 UTC'],
  [24 * 3_600_000, '24h ago (2026-11-26 16:12:54 UTC)', 'at 2026-11-26 16:12:54 UTC'],
  [76 * 3_600_000, '3d 4h ago (2026-11-24 12:12:54 UTC)', 'at 2026-11-24 12:12:54 UTC'],
] as const;

test.each(SAID)('a moment %i ms ago is `%s`, and `%s` once nobody renews it', (ms, said, kept) => {
  expect(before(ms)).toBe(said);
  expect(dropAges(`its log matched x twice, last ${said}; and more`)).toBe(
    `its log matched x twice, last ${kept}; and more`,
  );
});

test('a moment of unknown wall time has its age only', () => {
  expect(formatMoment(0, { now: 26_000, toWall: () => Number.NaN })).toBe('26s ago');
});

test('what is no age of a moment is left as it is', () => {
  const text = 'no block for 1m 7s, 2 nodes (4 of 7) since 16:12:28 UTC, and 3 (a minute ago)';
  expect(dropAges(text)).toBe(text);
});

test('each of several moments is left without its age', () => {
  expect(dropAges(`restarted ${before(9_000)} and ${before(100)}`)).toBe(
    'restarted at 16:12:45 UTC and at 16:12:54 UTC',
  );
});
