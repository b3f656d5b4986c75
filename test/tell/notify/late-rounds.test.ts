import { expect, it } from 'vitest';
import { createLateRounds, MAX_LATE_ROUNDS } from '../../../src/tell/notify/start-push.ts';

it('counts the late rounds of each subnet since a time', () => {
  let now = 1_000;
  const rounds = createLateRounds(() => now);
  rounds.add('a');
  rounds.add('b');
  now = 2_000;
  rounds.add('a');
  expect([rounds.count('a', 1_000), rounds.count('a', 1_001), rounds.count('a', 2_001)]).toEqual([2, 1, 0]);
  expect([rounds.count('b', 0), rounds.count('c', 0)]).toEqual([1, 0]);
});

it('forgets the oldest late rounds beyond its limit', () => {
  const rounds = createLateRounds(() => 0);
  rounds.add('first');
  for (let round = 1; round < MAX_LATE_ROUNDS; round += 1) rounds.add('a');
  expect([rounds.count('first', 0), rounds.count('a', 0)]).toEqual([1, MAX_LATE_ROUNDS - 1]);
  rounds.add('a');
  expect([rounds.count('first', 0), rounds.count('a', 0)]).toEqual([0, MAX_LATE_ROUNDS]);
});
