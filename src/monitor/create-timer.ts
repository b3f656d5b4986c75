import { createTask } from 'node-cron';
import type { Schedule } from '../model/target.ts';

/** A schedule that runs; times in milliseconds. */
export interface Timer {
  /** The usual gap between two ticks. */
  readonly intervalMs: number;
  /** When the next tick has to come, in the time of `performance.now()`. */
  dueAt(): number;
  stop(): void;
}

/** node-cron writes to the console unless it is given a logger; what matters of it comes as events. */
const silent = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} };

function createInterval(ms: number, onTick: () => void): Timer {
  // Counted from the start, so that a late tick does not shift those after it.
  const started = performance.now();
  let due = started + ms;
  let timer: NodeJS.Timeout;
  const arm = () => {
    timer = setTimeout(tick, due - performance.now());
  };
  const tick = () => {
    due = Math.max(due + ms, started + Math.ceil((performance.now() - started) / ms) * ms);
    arm();
    onTick();
  };
  arm();
  return { intervalMs: ms, dueAt: () => due, stop: () => clearTimeout(timer) };
}

function createCron(expression: string, onTick: () => void): Timer {
  const task = createTask(expression, () => tick(), {
    timezone: 'Etc/UTC',
    noOverlap: true,
    logger: silent,
    suppressMissedWarning: true,
  });
  const nextDue = () => performance.now() + (task.msToNext() ?? 0);
  const tick = () => {
    due = nextDue();
    onTick();
  };
  // A tick that the event loop slept through is made up for.
  task.on('execution:missed', tick);
  void task.start();
  let due = nextDue();
  const [first, second] = task.getNextRuns(2);
  return {
    intervalMs: (second?.getTime() ?? 0) - (first?.getTime() ?? 0),
    dueAt: () => due,
    stop: () => void task.destroy(),
  };
}

/** Calls `onTick` by the schedule until it is stopped; the first call comes with the first tick, not at once. */
export const createTimer = (schedule: Schedule, onTick: () => void): Timer =>
  schedule.kind === 'every' ? createInterval(schedule.ms, onTick) : createCron(schedule.expression, onTick);
