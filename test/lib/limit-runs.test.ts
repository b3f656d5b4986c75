import { expect, onTestFinished, test, vi } from 'vitest';
import { limitRuns } from '../../src/lib/promises.ts';

/** Runs that the test ends, with a clock that the test moves. */
function startLimited() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const ends: (() => void)[] = [];
  const want = limitRuns(() => new Promise<void>((resolve) => ends.push(resolve)));
  return { want, ends, begun: () => ends.length };
}

test('what is wanted five times within a second begins five times, and of all the rest one begins after that second', async () => {
  const { want, ends, begun } = startLimited();
  for (let call = 0; call < 1_000; call += 1) {
    want();
    ends.at(-1)?.();
    await Promise.resolve();
  }
  expect(begun()).toBe(5);
  await vi.advanceTimersByTimeAsync(999);
  expect(begun()).toBe(5);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun()).toBe(6);
  ends.at(-1)?.();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(begun()).toBe(6);
  want();
  expect(begun()).toBe(7);
});

test('runs that hang are never more than five, and what was wanted meanwhile begins when one of them ends', async () => {
  const { want, ends, begun } = startLimited();
  for (let call = 0; call < 1_000; call += 1) want();
  await vi.advanceTimersByTimeAsync(60_000);
  want();
  expect(begun()).toBe(5);
  ends[2]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(begun()).toBe(6);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(begun()).toBe(6);
});
