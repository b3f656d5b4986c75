import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClock } from '../../../src/lib/clock.ts';
import { createClockComparison, createClockSkew } from '../../../src/watch/logs/compare-clocks.ts';

test('the skew of a clock is that of the line that was read soonest, and needs three readings', () => {
  const skew = createClockSkew();
  skew.observe(-91_000, 1_000);
  skew.observe(-90_200, 2_000);
  expect(skew.read(2_000)).toBeUndefined();
  skew.observe(-95_000, 3_000);
  expect(skew.read(3_000)).toBe(-90_200);
});

test('the lines of an old file that is back, which are read at once, show no skew', () => {
  const skew = createClockSkew();
  for (let line = 0; line < 100; line++) skew.observe(-57_000, 1_000 + line);
  expect(skew.read(1_100)).toBeUndefined();
  for (const at of [2_000, 3_000]) skew.observe(0, at);
  expect(skew.read(3_000)).toBe(0);
});

test('a clock that was set is believed within a minute, and a silent one is not known', () => {
  const skew = createClockSkew();
  for (let at = 0; at < 30_000; at += 1_000) skew.observe(90_000, at);
  for (let at = 30_000; at < 70_000; at += 1_000) skew.observe(0, at);
  expect(skew.read(70_000)).toBe(90_000);
  for (let at = 70_000; at < 90_000; at += 1_000) skew.observe(0, at);
  expect(skew.read(90_000)).toBe(0);
  expect(skew.read(150_000)).toBeUndefined();
});

test('lines that were read late leave the skew what it is as long as one of them was not', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e8, max: 1e8 }),
      fc.array(fc.nat(120_000), { minLength: 2, maxLength: 40 }),
      fc.nat(40),
      (ahead, delays, prompt) => {
        const skew = createClockSkew();
        const all = delays.toSpliced(prompt % delays.length, 0, 0);
        all.forEach((delay, i) => {
          skew.observe(ahead - delay, i * 1_000);
        });
        expect(skew.read(all.length * 1_000)).toBe(ahead);
      },
    ),
  );
});

test('the last measure is kept while a program prints nothing, and forgotten when our clock was set', () => {
  let passed = 0;
  let wall = Date.UTC(2026, 10, 27);
  const clock = createClock({ monotonic: () => passed, wall: () => wall });
  const { observe, read, last } = createClockComparison(clock);
  const pass = (seconds: number, printed?: () => number) => {
    for (let second = 0; second < seconds; second++) {
      passed += 1_000;
      wall += 1_000;
      const at = clock.now();
      if (printed) observe(printed(), at, true);
    }
    return [read(), last()];
  };
  expect(pass(3, () => wall + 7_000)).toEqual([7_000, 7_000]);
  expect(pass(61)).toEqual([undefined, 7_000]);
  expect(pass(3, () => wall + 7_000)).toEqual([7_000, 7_000]);
  wall += 120_000;
  expect([read(), last()]).toEqual([undefined, undefined]);
  expect(pass(3, () => wall - 113_000)).toEqual([-113_000, -113_000]);
});
