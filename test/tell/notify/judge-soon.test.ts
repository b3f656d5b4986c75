import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createClock } from '../../../src/lib/clock.ts';
import { databaseAway } from '../../../src/lib/database-failure.ts';
import { createPush } from '../../../src/tell/notify/create-push.ts';
import { createFakePart } from '../../support/fake-part.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('all alerts are judged every five seconds, and half a second after a problem has opened', async () => {
  const clock = createClock({ monotonic: Date.now, wall: Date.now });
  const start = Date.now();
  const judgedAt: number[] = [];
  const push = createPush({
    clock,
    judge: () => {
      judgedAt.push(Date.now() - start);
      return [];
    },
    part: createFakePart('d'),
    isSettled: () => true,
    store: () => Promise.reject(databaseAway()),
    counts: { sent: 0, failed: 0, dropped: 0 },
    ...{ onTransition: () => {}, onFailure: () => {}, onRecovery: () => {} },
    onBug: (error) => {
      throw error;
    },
  });
  // However many open meanwhile.
  for (const afterMs of [7_000, 400]) {
    await vi.advanceTimersByTimeAsync(afterMs);
    push.judgeSoon();
  }
  await vi.advanceTimersByTimeAsync(10_100);
  expect(judgedAt).toEqual([0, 5_000, 7_500, 12_500, 17_500]);
  push.judgeSoon();
  await vi.advanceTimersByTimeAsync(500);
  expect(judgedAt.at(-1)).toBe(18_000);
  push.judgeSoon();
  const stopped = push.stop();
  push.judgeSoon();
  await vi.advanceTimersByTimeAsync(10_000);
  await stopped;
  expect(judgedAt).toHaveLength(6);
});
