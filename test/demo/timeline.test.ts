import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BLOCK_PERIOD_MS,
  changeTimeline,
  eraOf,
  heightAt,
  startTimeline,
  type Timeline,
  timeOf,
} from '../../src/demo/timeline.ts';

const start = 1_700_000_000_000;

test('a healthy chain gains a block every two seconds', () => {
  const timeline = startTimeline(start, 100);
  expect([0, 1_999, 2_000, 20_000].map((ms) => heightAt(timeline, start + ms))).toEqual([100, 100, 101, 110]);
});

test('a halted chain keeps its height and continues from there', () => {
  const halted = changeTimeline(startTimeline(start, 100), start + 10_000, { producing: false, absent: [] });
  const resumed = changeTimeline(halted, start + 100_000, { producing: true, absent: [] });
  expect([9_000, 10_000, 99_000, 101_999, 102_000].map((ms) => heightAt(resumed, start + ms))).toEqual([
    104, 105, 105, 105, 106,
  ]);
  expect(timeOf(resumed, 106)).toBe(start + 102_000);
});

test('a change that changes nothing starts no era', () => {
  const timeline = startTimeline(start, 100);
  expect(changeTimeline(timeline, start + 5_000, { producing: true, absent: [] })).toBe(timeline);
});

test('a block belongs to the era in which it was made', () => {
  const timeline = changeTimeline(startTimeline(start, 100), start + 10_000, { producing: true, absent: [1] });
  expect(eraOf(timeline, 105).absent).toEqual([]);
  expect(eraOf(timeline, 106).absent).toEqual([1]);
});

test('the height never falls, and each block comes at least a period after its parent', () => {
  const changes = fc.array(fc.record({ after: fc.nat(60_000), producing: fc.boolean() }), { maxLength: 12 });
  fc.assert(
    fc.property(changes, (list) => {
      let now = start;
      let timeline: Timeline = startTimeline(start, 20);
      let height = heightAt(timeline, now);
      for (const { after, producing } of list) {
        now += after;
        expect(heightAt(timeline, now)).toBeGreaterThanOrEqual(height);
        height = heightAt(timeline, now);
        timeline = changeTimeline(timeline, now, { producing, absent: [] });
        expect(heightAt(timeline, now)).toBe(height);
      }
      for (let number = 1; number <= height; number++) {
        expect(timeOf(timeline, number) - timeOf(timeline, number - 1)).toBeGreaterThanOrEqual(BLOCK_PERIOD_MS);
        expect(heightAt(timeline, timeOf(timeline, number))).toBeGreaterThanOrEqual(number);
      }
    }),
  );
});
