import { createTask } from 'node-cron';
import type { Schedule } from '../../model/target.ts';

/** The next ticks, as of the last one. */
export interface Due {
  /** When the next tick is due, in the time of `performance.now()`. */
  readonly at: number;
  /** From the last tick, or the start, to the next one. */
  readonly gapMs: number;
  /** From the next tick to the one after it. */
  readonly gapAfterMs: number;
}

/** A running schedule; times in milliseconds. */
export interface Timer {
  due(): Due;
  stop(): void;
}

/**
 * The interval by which staleness is judged. Normally the current one, which may last a night. Once the next tick is
 * overdue, it is the shorter of that and the one after it, so that a missed tick is noticed in the morning.
 */
export const toIntervalMs = ({ at, gapMs, gapAfterMs }: Due, now: number): number =>
  now < at ? gapMs : Math.min(gapMs, gapAfterMs);

/** node-cron writes to stdout unless it gets a logger; events report what matters. */
const silent = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} };

function createInterval(ms: number, onTick: () => void): Timer {
  // Counted from the start, so that a late tick does not shift the next ones.
  const started = performance.now();
  let at = started + ms;
  let timer: NodeJS.Timeout;
  const arm = () => {
    timer = setTimeout(tick, Math.max(at - performance.now(), 0));
  };
  const tick = () => {
    at = Math.max(at + ms, started + Math.ceil((performance.now() - started) / ms) * ms);
    arm();
    onTick();
  };
  arm();
  return { due: () => ({ at, gapMs: ms, gapAfterMs: ms }), stop: () => clearTimeout(timer) };
}

function createCron(expression: string, onTick: () => void): Timer {
  const task = createTask(expression, () => tick(), {
    timezone: 'Etc/UTC',
    noOverlap: true,
    logger: silent,
    suppressMissedWarning: true,
  });
  const findDue = (): Due => {
    const [now, next = now, after = next] = [Date.now(), ...task.getNextRuns(2).map((date) => date.getTime())];
    // A tick comes some milliseconds late, and schedules have a resolution of one second.
    const gapMs = Math.ceil((next - now) / 1_000) * 1_000;
    return { at: performance.now() + next - now, gapMs, gapAfterMs: after - next };
  };
  const tick = () => {
    due = findDue();
    onTick();
  };
  // A tick that was missed while the event loop was blocked is run late.
  task.on('execution:missed', tick);
  void task.start();
  let due = findDue();
  return { due: () => due, stop: () => void task.destroy() };
}

/** Calls `onTick` by the schedule until it is stopped, for the first time at the first tick. */
export const createTimer = (schedule: Schedule, onTick: () => void): Timer =>
  schedule.kind === 'every' ? createInterval(schedule.ms, onTick) : createCron(schedule.expression, onTick);
