import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRound } from '../../../src/watch/monitor/create-round.ts';
import { createTimer, toIntervalMs } from '../../../src/watch/monitor/create-timer.ts';
import { nodeTarget } from '../../support/views.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Every five minutes from 9:00 to 17:55. */
const schedule = { kind: 'cron', expression: '0 */5 9-17 * * *' } as const;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-02T17:42:30Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

test('the interval of a cron schedule is the gap that is due, by day and by night', async () => {
  const seen: string[] = [];
  const timer = createTimer(schedule, () => {
    seen.push(`${new Date().toISOString().slice(11, 16)} ${toIntervalMs(timer.due(), performance.now()) / MINUTE}`);
  });
  expect(toIntervalMs(timer.due(), performance.now())).toBe(2.5 * MINUTE);
  await vi.advanceTimersByTimeAsync(15.6 * HOUR);
  timer.stop();
  expect(seen).toEqual(['17:45 5', '17:50 5', '17:55 905', '09:00 5', '09:05 5', '09:10 5', '09:15 5']);
});

test('the interval of a fixed gap is that gap', () => {
  const timer = createTimer({ kind: 'every', ms: 7_000 }, () => {});
  expect(toIntervalMs(timer.due(), performance.now())).toBe(7_000);
  expect(toIntervalMs(timer.due(), performance.now() + HOUR)).toBe(7_000);
  timer.stop();
});

test.each([
  ['before the tick it is the gap that is due', { gapMs: 15 * HOUR, gapAfterMs: 5 * MINUTE }, -1, 15 * HOUR],
  [
    'in the morning a missed one is noticed by the gap of the day',
    { gapMs: 15 * HOUR, gapAfterMs: 300_000 },
    0,
    300_000,
  ],
  ['and in the evening too', { gapMs: 300_000, gapAfterMs: 15 * HOUR }, 1, 300_000],
])('%s', (_, gaps, late, expected) => {
  expect(toIntervalMs({ at: 1_000, ...gaps }, 1_000 + late)).toBe(expected);
});

describe('a round by such a schedule', () => {
  const start = (probe: () => Promise<void>) => {
    const round = createRound({
      subnet: 'd',
      name: 'rpc',
      targets: [nodeTarget('a')],
      schedule,
      timeoutMs: 1_000,
      probe,
      onFinished: () => {},
      onLate: () => {},
      awakeMs: () => Number.POSITIVE_INFINITY,
    });
    round.start();
    return round;
  };

  test('has a long interval by night, and the short one when its runs do not end', async () => {
    const healthy = start(async () => {});
    let release = () => {};
    const stuck = start(
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    await vi.advanceTimersByTimeAsync(13 * MINUTE);
    expect(healthy.intervalMs()).toBe(905 * MINUTE);
    expect(stuck.intervalMs()).toBe(2.5 * MINUTE);
    await vi.advanceTimersByTimeAsync(10 * HOUR);
    expect(healthy.intervalMs()).toBe(905 * MINUTE);
    expect(stuck.intervalMs()).toBe(2.5 * MINUTE);
    // It ends by night: nothing is due before the morning.
    release();
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(stuck.intervalMs()).toBe(905 * MINUTE);
    await Promise.all([healthy.stop(), stuck.stop()]);
  });
});
