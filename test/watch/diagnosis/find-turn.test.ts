import { expect, test } from 'vitest';
import { untilBest } from '../../../src/watch/diagnosis/find-turn.ts';

const PERIOD_MS = 2_000;
const TIMEOUT_MS = 10_000;

const rhythmOf = (masternodes: number, stopMs: number | undefined, joinMs: number | undefined) => ({
  ...{ turnEveryMs: masternodes * PERIOD_MS, stopMs, joinMs },
  ...{ minePeriodMs: PERIOD_MS, timeoutPeriodMs: TIMEOUT_MS },
});

/**
 * Plays the rounds after a block of a node that goes down and has its first new block later, a period after it could follow: how many of
 * its turns time out, and how far from one of them that is. A turn that it misses takes a timeout, and any other one a period.
 */
function play(masternodes: number, downMs: number, backMs: number) {
  let [begin, missed, nearMs] = [0, 0, Number.POSITIVE_INFINITY];
  for (let turn = 1; begin <= backMs; turn++) {
    const dueMs = begin + PERIOD_MS;
    const isOwn = turn % masternodes === 0;
    const isMissed = isOwn && dueMs > downMs && dueMs < backMs - PERIOD_MS;
    begin += isMissed ? TIMEOUT_MS : PERIOD_MS;
    if (!isMissed) continue;
    missed++;
    // Below 0 while the round that it has missed still waits.
    nearMs = backMs - begin;
  }
  return { missed, nearMs };
}

test('a node that follows the chain 11 seconds after its start is back after its lost turn, and not in it', () => {
  // Right after its turn it would be back at 12 s, and its turn, due at 8 s, times out at 16 s.
  expect(play(4, 1_000, 12_000)).toEqual({ missed: 1, nearMs: -4_000 });
  // At 7 s it is back at 18 s, and its next turn is due at 24 s.
  expect(untilBest(1_000, rhythmOf(4, undefined, 11_000))).toBe(6_000);
  expect(untilBest(0, rhythmOf(4, 10_160, 11_000))).toBe(4_840);
  // It stops 10 s later, which is 2 s after another turn of its own.
  expect(untilBest(6_000, rhythmOf(4, 10_000, 11_000))).toBe(7_000);
  expect(untilBest(6_000, rhythmOf(4, 300, 11_000))).toBe(700);
  expect(untilBest(6_300, rhythmOf(4, 300, 11_000))).toBe(0);
});

test('one that is back before its next turn may stop at many moments, and never as it makes its block', () => {
  expect(untilBest(20_000, rhythmOf(21, undefined, 15_000))).toBe(0);
  expect(untilBest(26_000, rhythmOf(21, undefined, 15_000))).toBe(17_000);
  expect(untilBest(0, rhythmOf(21, undefined, 15_000))).toBe(1_000);
  expect(untilBest(41_500, rhythmOf(21, undefined, 15_000))).toBe(1_500);
});

test('while nobody knows how long it is out, the best moment is right after its turn', () => {
  expect(untilBest(22_000, rhythmOf(21, undefined, undefined))).toBe(21_000);
  expect(untilBest(4_000, rhythmOf(21, undefined, undefined))).toBe(0);
  expect(untilBest(5_000, rhythmOf(21, undefined, undefined))).toBe(38_000);
  expect(untilBest(2_000, rhythmOf(4, undefined, undefined))).toBe(0);
  expect(untilBest(2_500, rhythmOf(4, undefined, undefined))).toBe(6_500);
  // The container takes long to stop, also longer than from one turn to the next.
  expect(untilBest(22_000, rhythmOf(21, 10_000, undefined))).toBe(11_000);
  expect(untilBest(3_000, rhythmOf(4, 10_000, undefined))).toBe(4_000);
});

test('at no other moment do fewer of its turns time out, and it is back in one only where it cannot be helped', () => {
  for (const masternodes of [3, 4, 7, 21])
    for (let joinMs = 3_000; joinMs <= 60_000; joinMs += 1_000) {
      const turnEveryMs = masternodes * PERIOD_MS;
      const at = untilBest(500, rhythmOf(masternodes, undefined, joinMs)) + 500;
      const best = play(masternodes, at, at + joinMs);
      const others = Array.from({ length: turnEveryMs / 500 - 3 }, (_, step) => 1_000 + step * 500);
      const all = others.map((downMs) => play(masternodes, downMs, downMs + joinMs));
      expect(best.missed).toBe(Math.min(...all.map(({ missed }) => missed)));
      const clear = all.filter(({ missed, nearMs }) => missed === best.missed && nearMs >= 0);
      if (clear.length > 0) expect(best.nearMs).toBeGreaterThanOrEqual(0);
    }
});
