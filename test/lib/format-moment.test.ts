import { expect, test } from 'vitest';
import { dropAges, formatMoment, renewAges } from '../../src/lib/duration.ts';

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

test('each of several moments is told by how long ago it is now', () => {
  const later = { ...moment, now: moment.now + 8_000 };
  const said = renewAges(`died ${before(13_400)}, ended ${before(71_400)} and ${before(76 * 3_600_000)}`, later);
  expect(said).toBe(
    'died 21s ago (16:12:41 UTC), ended 1m 19s ago (16:11:43 UTC) and 3d 4h ago (2026-11-24 12:12:54 UTC)',
  );
  expect(renewAges(said, { ...later, toWall: () => Number.NaN })).toBe(said);
});

test('a name that ends in a number before a moment is no part of it', () => {
  expect(renewAges('of http_5xx 2s ago (16:12:41 UTC)', moment)).toBe('of http_5xx 13s ago (16:12:41 UTC)');
  expect(dropAges('of http_5xx 2s ago (16:12:41 UTC)')).toBe('of http_5xx at 16:12:41 UTC');
});

test('a moment of the evening before, or by a clock that differs, is told so', () => {
  const at = (time: string) => ({ now: Date.parse(`2026-11-28T${time}Z`), toWall: (one: number) => one });
  expect(renewAges('just now (23:59:58 UTC)', at('00:00:05'))).toBe('7s ago (23:59:58 UTC)');
  expect(renewAges('23h 59m ago (16:12:54 UTC)', at('16:12:50'))).toBe('24h ago (16:12:54 UTC)');
  expect(renewAges('just now (16:12:59 UTC)', at('16:12:54'))).toBe('just now (16:12:59 UTC)');
});

test('each of several moments is left without its age', () => {
  expect(dropAges(`restarted ${before(9_000)} and ${before(100)}`)).toBe(
    'restarted at 16:12:45 UTC and at 16:12:54 UTC',
  );
});
