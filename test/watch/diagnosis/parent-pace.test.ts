import { describe, expect, test } from 'vitest';
import type { ContractReading, NextBlock, ParentFacts, ParentObservation } from '../../../src/model/parent-chain.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { findParentProblems } from '../../../src/watch/diagnosis/find-parent-problems.ts';
import type { FollowedProblems } from '../../../src/watch/diagnosis/follow-problems.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { findAgainMs } from '../../../src/watch/probes/subnet-probers.ts';
import { foldParent } from '../../../src/watch/rules/fold-subnet.ts';
import { follow } from '../../support/diagnosed.ts';

const SUBNET = { name: 'devnet', consensus: 'XDPoS', targets: [], settings: DEFAULT_SETTINGS };

/** 2026-11-22 in Unix milliseconds. */
const WALL = 1_795_305_600_000;

/** A generator of numbers from 0 to 1 that are the same in each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** The times of blocks with these times between them, in milliseconds from the first one. */
function toTimes(nextMs: () => number, untilMs: number): readonly number[] {
  const times = [0];
  while ((times.at(-1) ?? 0) < untilMs) times.push((times.at(-1) ?? 0) + nextMs());
  return times;
}

/** When a problem of a parent chain with these blocks was open, if subnetd reads it from `fromMs`, and how often it was read. */
function watch(times: readonly number[], { fromMs, untilMs, skewMs = 0 }: Watch) {
  let facts: ParentFacts | undefined;
  let followed: FollowedProblems = NO_PROBLEMS;
  let readings = 0;
  let number = 0;
  const secondsOf = (index: number) => Math.floor((WALL + (times[index] ?? 0)) / 1000);
  const judge = (parent: ParentFacts, now: number) => {
    const found = findParentProblems(viewSubnet(SUBNET, [], now, { parent }));
    followed = follow(followed, found, [], now);
    return followed.problems.some(({ state }) => state === 'open');
  };
  for (let now = fromMs; now < untilMs; ) {
    readings++;
    while ((times[number + 1] ?? Number.POSITIVE_INFINITY) <= now) number++;
    const timestamp = secondsOf(number);
    const earlier = Math.max(number - 100, 1);
    const paceMs = ((timestamp - secondsOf(earlier)) * 1000) / (number - earlier);
    const observation = { head: { ok: true, value: { number, timestamp } }, paceMs } as const;
    const wallMs = WALL + now + skewMs;
    facts = foldParent(facts, observation, { at: now, wallMs });
    const againAt = now + (findAgainMs(observation, wallMs) ?? 30_000);
    // Without a problem, nothing happens until the next reading.
    do {
      if (judge(facts, now)) return { openAt: now, readings };
      now += 2_500;
    } while (now < againAt && followed.problems.length > 0);
    now = againAt;
  }
  return { openAt: undefined, readings };
}

interface Watch {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly skewMs?: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('a parent chain that halts', () => {
  test('is said within 42 seconds of its last block when it made one each two seconds, whenever it was read', () => {
    const times = toTimes(() => 2_000, 600_000);
    const halted = times.at(-1) ?? 0;
    for (let phase = 0; phase < 30_000; phase += 500) {
      const { openAt = Number.NaN } = watch(times, { fromMs: halted - 120_000 + phase, untilMs: halted + 120_000 });
      expect(openAt - halted).toBeGreaterThanOrEqual(30_000);
      expect(openAt - halted).toBeLessThanOrEqual(42_500);
    }
  });

  test('is said at the pace of a slow one', () => {
    const times = toTimes(() => 12_000, HOUR);
    const halted = times.at(-1) ?? 0;
    const { openAt = Number.NaN } = watch(times, { fromMs: halted - 600_000, untilMs: halted + HOUR });
    expect(openAt - halted).toBeGreaterThanOrEqual(180_000);
    expect(openAt - halted).toBeLessThanOrEqual(212_500);
  });

  test('is said as soon after a restart of subnetd, which knows the pace from its first reading', () => {
    const times = toTimes(() => 2_000, 600_000);
    const halted = times.at(-1) ?? 0;
    const { openAt = Number.NaN } = watch(times, { fromMs: halted + 55_000, untilMs: halted + 300_000 });
    expect(openAt - halted).toBeLessThanOrEqual(87_500);
  });
});

describe('a parent chain that makes blocks', () => {
  test.each([1, 2, 3])('at any moment, twelve seconds apart on average, is never said to stand (%i)', (seed) => {
    const random = createRandom(seed);
    const times = toTimes(() => -12_000 * Math.log(1 - random()), DAY);
    expect(watch(times, { fromMs: HOUR, untilMs: DAY }).openAt).toBeUndefined();
  });

  test.each([1, 2, 3])('each twelve seconds, a third of which stay empty, is never said to stand (%i)', (seed) => {
    const random = createRandom(seed);
    const times = toTimes(() => {
      let slots = 1;
      while (random() < 1 / 3) slots++;
      return slots * 12_000;
    }, DAY);
    expect(watch(times, { fromMs: HOUR, untilMs: DAY }).openAt).toBeUndefined();
  });

  test.each([1, 2, 3])('each two seconds, with rounds that time out, is never said to stand (%i)', (seed) => {
    const random = createRandom(seed);
    // Two leaders in a row are away now and then, each for the ten seconds of a round.
    const times = toTimes(() => (random() < 0.02 ? 22_000 : random() < 0.1 ? 12_000 : 2_000), DAY);
    expect(watch(times, { fromMs: HOUR, untilMs: DAY }).openAt).toBeUndefined();
  });

  test('is not said to stand by a clock that is a minute ahead', () => {
    const times = toTimes(() => 2_000, HOUR);
    expect(watch(times, { fromMs: 600_000, untilMs: HOUR, skewMs: 60_000 }).openAt).toBeUndefined();
  });

  test('is read each half minute', () => {
    const times = toTimes(() => 2_000, 2 * HOUR);
    expect(watch(times, { fromMs: HOUR, untilMs: HOUR + 600_000 }).readings).toBe(20);
  });
});

test('a parent chain is read again soon while its node, or its contract, shows a fault', () => {
  const head = { ok: true, value: { number: 5, timestamp: WALL / 1000 } } as const;
  const soon = (more: Partial<ParentObservation>, ageMs = 0) => findAgainMs({ head, ...more }, WALL + ageMs);
  const isSoon = (more: Partial<ParentObservation>) => soon(more) === 5_000;
  const failed = { ok: false, why: 'cannot be reached' } as const;
  expect(isSoon({})).toBe(false);
  const block = { hash: '0xaa', number: 990 };
  const withNext = (next: NextBlock) => {
    const value: ContractReading = { kind: 'checkpoint', checkpoint: { latest: block, committed: block, next } };
    return isSoon({ contract: { ok: true, value } });
  };
  expect(withNext({ number: 991 })).toBe(false);
  expect(withNext({ number: 991, refusal: '' })).toBe(true);
  expect(isSoon({ contract: { ok: true, value: { kind: 'missing' } } })).toBe(true);
  expect(isSoon({ contract: failed })).toBe(true);
  expect(isSoon({ head: failed })).toBe(true);
  // Later where that may be why, or where it stands for long.
  expect(soon({ head: { ok: false, why: 'answers HTTP 429' } })).toBe(10_000);
  const ofPace = (ageMs: number) => soon({ paceMs: 2_000 }, ageMs);
  expect([0, 6_000, 7_000, 119_999, 120_000].map(ofPace)).toEqual([undefined, undefined, 5_000, 5_000, 10_000]);
  expect(soon({}, 3_600_000)).toBeUndefined();
  const withCoins = (value: bigint) => findAgainMs({ head, balance: { ok: true, value } }, WALL, 1_000n);
  expect([10n, 9n].map(withCoins)).toEqual([undefined, 10_000]);
});
