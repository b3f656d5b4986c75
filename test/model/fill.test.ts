import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describePace, type Fill, findLongPace, findPace, foldFill, formatLeft } from '../../src/model/fill.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const GB = 1e9;

/** Reads every two minutes, from 0 on, what is used after so many hours. */
function follow(hours: number, usedAt: (hour: number) => number, total = 1_000 * GB): Fill {
  let fill: Fill | undefined;
  for (let at = 0; at <= hours * HOUR; at += 2 * MINUTE) {
    const used = usedAt(at / HOUR);
    fill = foldFill(fill, { used, free: total - used, total }, at);
  }
  return fill as Fill;
}

const daysLeft = (fill: Fill): number | undefined => {
  const pace = findPace(fill);
  return pace && pace.leftMs / DAY;
};

describe('how long it takes until something is full', () => {
  test('is what is free by what was added, after three hours', () => {
    const grow = (hour: number) => 100 * GB + hour * GB;
    expect(findPace(follow(2.8, grow))).toBeUndefined();
    expect(daysLeft(follow(3.1, grow))).toBeCloseTo(897 / 24, 0);
    expect(daysLeft(follow(30, grow))).toBeCloseTo(870 / 24, 0);
  });

  test('is right within a tenth for any steady pace', () => {
    const pace = fc.double({ min: 0.01, max: 20, noNaN: true });
    fc.assert(
      fc.property(pace, fc.double({ min: 4, max: 20, noNaN: true }), (perHour, hours) => {
        const fill = follow(hours, (hour) => hour * perHour * GB);
        const true_ = fill.free / (perHour * GB) / 24;
        expect(Math.abs((daysLeft(fill) ?? Number.NaN) / true_ - 1)).toBeLessThan(0.1);
      }),
    );
  });

  test('is not known after a burst, whenever it comes and however large', () => {
    const burst = fc.record({
      begin: fc.double({ min: 0, max: 9.9, noNaN: true }),
      hours: fc.double({ min: 0.02, max: 0.6, noNaN: true }),
      bytes: fc.double({ min: 1, max: 400, noNaN: true }),
    });
    fc.assert(
      fc.property(burst, ({ begin, hours, bytes }) => {
        const used = (hour: number) => bytes * GB * Math.min(1, Math.max(0, (hour - begin) / hours));
        expect(findPace(follow(10, used))).toBeUndefined();
      }),
    );
  });

  test('is not known while a burst of half an hour goes on', () => {
    expect(findPace(follow(10, (hour) => 400 * GB * Math.max(0, (hour - 9.45) / 0.55)))).toBeUndefined();
  });

  test('is not known three hours after the growth has ended', () => {
    const grow = (end: number) => (hour: number) => Math.min(hour, end) * GB;
    expect(findPace(follow(8, grow(6)))).toBeDefined();
    expect(findPace(follow(9.2, grow(6)))).toBeUndefined();
  });

  test('is not known while it shrinks or stays', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 5, noNaN: true }), (perHour) => {
        expect(findPace(follow(8, (hour) => (500 - hour * perHour) * GB))).toBeUndefined();
      }),
    );
  });

  test('follows a saw of writes and clean-ups by its mean', () => {
    // 3 GB an hour, of which 2 are removed again each half hour.
    const saw = (hour: number) => 100 * GB + (hour + 2 * ((hour * 2) % 1)) * GB;
    expect(daysLeft(follow(12, saw))).toBeCloseTo(888 / 24, -1);
  });

  test('is known after a steady hour only if that leaves less than a day', () => {
    const grow = (perHour: number) => (hour: number) => hour * perHour * GB;
    expect(daysLeft(follow(1.1, grow(50)))).toBeCloseTo(945 / 50 / 24, 1);
    expect(findPace(follow(0.8, grow(50)))).toBeUndefined();
    expect(findPace(follow(1.1, grow(10)))).toBeUndefined();
    expect(findLongPace(follow(1.1, grow(50)))).toBeUndefined();
  });

  test('begins again with another size, and over a time in which nothing was read', () => {
    const grown = follow(6, (hour) => hour * GB);
    const now = { used: 6 * GB, free: 1_994 * GB, total: 2_000 * GB };
    expect(findPace(foldFill(grown, now, 6 * HOUR + 2 * MINUTE))).toBeUndefined();
    expect(foldFill(grown, { ...now, free: 994 * GB, total: 1_000 * GB }, 20 * HOUR).points).toHaveLength(1);
  });

  test('remembers no more than some hours', () => {
    expect(follow(48, (hour) => hour * GB).points.length).toBeLessThanOrEqual(39);
  });

  test('is said in days, hours or minutes', () => {
    const left = (leftMs: number) => formatLeft({ bytesPerHour: 1, overMs: HOUR, leftMs });
    expect([5.5 * DAY, 30 * HOUR, 50 * MINUTE, 1].map(left)).toEqual(['5d', '30h', '50m', '1m']);
    expect(describePace({ bytesPerHour: GB / 10, overMs: 6 * HOUR, leftMs: 1 })).toBe(
      'took 2.4 GB a day over the last 6h',
    );
    expect(describePace({ bytesPerHour: GB, overMs: HOUR, leftMs: 1 })).toBe('took 1.0 GB over the last 1h');
  });
});
