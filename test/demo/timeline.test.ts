import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BLOCK_PERIOD_MS,
  changeTimeline,
  eraOf,
  heightAt,
  placeOf,
  startTimeline,
  type Timeline,
  turnOf,
} from '../../src/demo/timeline.ts';

const start = 1_700_000_000_000;
const begin = (height: number) => startTimeline(start, height, 17, { masternodes: 4, roundTimeoutMs: 10_000 });

test('a healthy chain gains a block every two seconds', () => {
  const timeline = begin(100);
  expect([0, 1_999, 2_000, 20_000].map((ms) => heightAt(timeline, start + ms))).toEqual([100, 100, 101, 110]);
});

test('a halted chain keeps its height and goes on from there', () => {
  const halted = changeTimeline(begin(100), start + 10_000, {
    producing: false,
    absent: [],
    penalised: [],
  });
  const resumed = changeTimeline(halted, start + 100_000, { producing: true, absent: [], penalised: [] });
  expect([9_000, 10_000, 99_000, 101_999, 102_000].map((ms) => heightAt(resumed, start + ms))).toEqual([
    104, 105, 105, 105, 106,
  ]);
  expect(placeOf(resumed, 106).ms).toBe(start + 102_000);
});

test('a change that changes nothing starts no era', () => {
  const timeline = begin(100);
  expect(changeTimeline(timeline, start + 5_000, { producing: true, absent: [], penalised: [] })).toBe(timeline);
});

test('a block belongs to the era in which it was made', () => {
  const timeline = changeTimeline(begin(100), start + 10_000, {
    producing: true,
    absent: [1],
    penalised: [],
  });
  expect(eraOf(timeline, 105).absent).toEqual([]);
  expect(eraOf(timeline, 106).absent).toEqual([1]);
});

test('with one of four absent three blocks come every two seconds, and then one after twelve', () => {
  const timeline = changeTimeline(begin(100), start, { producing: true, absent: [1], penalised: [] });
  const gaps = Array.from({ length: 12 }, (_, index) => {
    const number = 101 + index;
    return placeOf(timeline, number + 1).ms - placeOf(timeline, number).ms;
  });
  expect(gaps.filter((ms) => ms === 12_000)).toHaveLength(4);
  expect(gaps.filter((ms) => ms === 2_000)).toHaveLength(8);
  for (let number = 102; number < 114; number++) {
    const [before, after] = [placeOf(timeline, number - 1), placeOf(timeline, number)];
    expect([1, 2]).toContain(after.round - before.round);
    expect(after.ms - before.ms).toBe(after.round - before.round === 2 ? 12_000 : 2_000);
    expect(heightAt(timeline, after.ms - 1)).toBe(number - 1);
    expect(heightAt(timeline, after.ms)).toBe(number);
  }
});

test('penalised masternodes have no round, so nobody waits for them', () => {
  const timeline = changeTimeline(begin(100), start, { producing: true, absent: [1], penalised: [1] });
  expect(heightAt(timeline, start + 20_000)).toBe(110);
  expect(placeOf(timeline, 110).round).toBe(127);
});

test('whatever happens, the height never falls and each block comes at least a period after its parent', () => {
  const changes = fc.array(
    fc.record({ after: fc.nat(60_000), producing: fc.boolean(), absent: fc.subarray([0, 1, 2, 3], { maxLength: 3 }) }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(changes, (list) => {
      let now = start;
      let timeline: Timeline = begin(20);
      let height = heightAt(timeline, now);
      for (const { after, producing, absent } of list) {
        now += after;
        expect(heightAt(timeline, now)).toBeGreaterThanOrEqual(height);
        height = heightAt(timeline, now);
        timeline = changeTimeline(timeline, now, { producing, absent, penalised: [] });
        expect(heightAt(timeline, now)).toBe(height);
      }
      for (let number = 1; number <= height; number++) {
        expect(placeOf(timeline, number).ms - placeOf(timeline, number - 1).ms).toBeGreaterThanOrEqual(BLOCK_PERIOD_MS);
        expect(heightAt(timeline, placeOf(timeline, number).ms)).toBeGreaterThanOrEqual(number);
      }
    }),
  );
});

test('with each epoch of 900 rounds turns begin with the first of 21 again, also while one is absent', () => {
  const pace = { masternodes: 21, roundTimeoutMs: 10_000 };
  const turnout = { producing: true, absent: [0], penalised: [] };
  const timeline = changeTimeline(startTimeline(start, 800, 0, pace), start, turnout);
  const rounds = Array.from({ length: 1_200 }, (_, index) => placeOf(timeline, 801 + index).round);
  const missing = Array.from({ length: 1_200 }, (_, index) => 801 + index).filter((round) => !rounds.includes(round));
  expect(missing.slice(0, 7)).toEqual([819, 840, 861, 882, 900, 921, 942]);
  expect(turnOf(eraOf(timeline, 801), 899)).toBe(17);
  expect(turnOf(eraOf(timeline, 801), 900)).toBe(0);
});

/** The rounds that are missed while each of 21 masternodes is out for 40 s, beginning so long after its own turn. */
function missedBy(afterTurnMs: number): number {
  let timeline = startTimeline(start, 2_500, 17, { masternodes: 21, roundTimeoutMs: 10_000 });
  const lostRounds = (at: number) => placeOf(timeline, heightAt(timeline, at)).round - heightAt(timeline, at);
  let at = start;
  const before = lostRounds(at);
  for (let place = 0; place < 21; place++) {
    let number = heightAt(timeline, at + 130_000);
    while (turnOf(eraOf(timeline, number), placeOf(timeline, number).round) !== place) number++;
    at = placeOf(timeline, number).ms + afterTurnMs;
    for (const [ms, absent] of [
      [at, [place]],
      [at + 40_000, []],
    ] as const)
      timeline = changeTimeline(timeline, ms, { producing: true, absent, penalised: [] });
  }
  return lostRounds(at + 100_000) - before;
}

test('21 masternodes that are out right after their turns miss no round, and half a cycle later most miss theirs', () => {
  expect([0, 1_000, 2_000, 4_000].map((ms) => missedBy(ms))).toEqual([0, 0, 0, 0]);
  expect(missedBy(20_000)).toBeGreaterThan(15);
});
