import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClock, GAP_MS, SQUEEZED_MS } from '../../src/lib/clock.ts';
import { createHandClock, HAND_CLOCK_START as START } from '../support/hand-clock.ts';

const MINUTE = 60_000;
const running = fc.record({ do: fc.constant('run' as const), ms: fc.integer({ min: 0, max: 10 * MINUTE }) });
const suspended = fc.record({
  do: fc.constant('suspend' as const),
  ms: fc.integer({ min: GAP_MS + 1, max: 600 * MINUTE }),
});
const set = fc.record({ do: fc.constant('set' as const), ms: fc.integer({ min: -600 * MINUTE, max: 600 * MINUTE }) });

describe('a clock', () => {
  it('advances while the process runs, and neither in gaps nor when the wall clock is set', () => {
    const { clock, run, suspend, set } = createHandClock();
    const begun = clock.now();
    run(30_000);
    suspend(2 * MINUTE);
    expect(clock.now() - begun).toBeCloseTo(30_000 + SQUEEZED_MS);
    set(60 * MINUTE);
    run(10_000);
    set(-90_000);
    expect(clock.now() - begun).toBeCloseTo(40_000 + SQUEEZED_MS);
  });

  it('leaves a time before a gap what it was, and moves it when the wall clock is set', () => {
    const { clock, run, suspend, set, wall } = createHandClock();
    const since = clock.now();
    run(30_000);
    suspend(2 * MINUTE);
    expect(clock.toWall(since)).toBe(START);
    expect(clock.toWall(clock.now())).toBe(wall());
    set(60 * MINUTE);
    expect(clock.toWall(since)).toBe(START + 60 * MINUTE);
  });

  it('takes a time from outside for as old as it is in watched time', () => {
    const { clock, run, suspend } = createHandClock();
    run(60_000);
    suspend(2 * MINUTE);
    clock.now();
    run(10_000);
    const age = (wallMs: number) => clock.now() - clock.fromWall(wallMs);
    expect(age(START + 185_000)).toBeCloseTo(5_000);
    expect(age(START + 120_000)).toBeCloseTo(10_000 + SQUEEZED_MS / 2, 0);
    expect(age(START + 50_000)).toBeCloseTo(20_000 + SQUEEZED_MS);
  });

  it('takes a process that is a little late for one that ran', () => {
    const { clock, suspend } = createHandClock();
    const begun = clock.now();
    suspend(GAP_MS);
    expect(clock.now() - begun).toBeCloseTo(GAP_MS);
    expect(clock.resumedAt()).toBe(Number.NEGATIVE_INFINITY);
  });

  it('says when the process went on, to whom asks first too', () => {
    const { clock, suspend, run } = createHandClock();
    const before = clock.now();
    suspend(GAP_MS + 1);
    const resumed = clock.resumedAt();
    expect(resumed).toBe(before + SQUEEZED_MS);
    expect(clock.now()).toBe(resumed);
    run(5_000);
    expect(clock.resumedAt()).toBe(resumed);
  });

  it('says what disturbed it last', () => {
    const { clock, run, suspend, set } = createHandClock();
    expect(clock.disturbances()).toEqual({});
    suspend(2 * MINUTE);
    const endedAt = clock.now();
    expect(clock.disturbances()).toEqual({ gap: { endedAt, realMs: 2 * MINUTE } });
    run(10_000);
    set(-90_000);
    const { gap, step } = clock.disturbances();
    expect(gap?.endedAt).toBe(endedAt);
    expect(step?.at).toBe(clock.now());
    expect(step?.byMs).toBeCloseTo(-90_000);
  });

  it('does not follow the jitter of two clocks that are read one after the other', () => {
    let jitter = 0;
    const clock = createClock({ monotonic: () => 0, wall: () => START + jitter });
    const since = clock.now();
    for (jitter of [1, 100, -200, 0]) expect(clock.toWall(since)).toBe(START);
  });

  it('never goes back, counts no gap, and converts both ways, after any steps', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(running, suspended, set), { maxLength: 30 }), (steps) => {
        const hand = createHandClock();
        const { clock } = hand;
        const marks: number[] = [];
        const begun = clock.now();
        let expected = 0;
        for (const step of steps) {
          const before = clock.now();
          hand[step.do](step.ms);
          const after = clock.now();
          expect(after).toBeGreaterThanOrEqual(before);
          expected += step.do === 'run' ? step.ms : step.do === 'suspend' ? SQUEEZED_MS : 0;
          expect(after - begun).toBeCloseTo(expected, 1);
          expect(Math.abs(clock.toWall(after) - hand.wall())).toBeLessThanOrEqual(251);
          marks.push(before, (before + after) / 2, after);
        }
        let last = Number.NEGATIVE_INFINITY;
        for (const mark of marks.toSorted((a, b) => a - b)) {
          expect(clock.fromWall(clock.toWall(mark))).toBeCloseTo(mark, -0.5);
          expect(clock.toWall(mark)).toBeGreaterThanOrEqual(last);
          last = clock.toWall(mark);
        }
      }),
    );
  });

  it('leaves every time before any number of gaps where it was', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(running, suspended), { maxLength: 30 }), (steps) => {
        const hand = createHandClock();
        const marks = steps.map((step) => {
          const mark = { at: hand.clock.now(), wall: hand.wall() };
          hand[step.do](step.ms);
          return mark;
        });
        for (const { at, wall } of marks) expect(Math.abs(hand.clock.toWall(at) - wall)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
