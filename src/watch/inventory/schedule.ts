import { createTask, validateDetailed } from 'node-cron';
import { durationMs } from '../../lib/duration.ts';

/** The longest duration; timers hold it easily. */
const MAX_DURATION_MS = 24 * 60 * 60 * 1000;

/** How a duration is written. */
export const DURATION = /^\d+(\.\d+)?(ms|s|m|h)$/;

/** Is it a duration between 1 ms and a day? */
export const isDuration = (text: string): boolean => {
  if (!DURATION.test(text)) return false;
  const ms = durationMs(text);
  return ms >= 1 && ms <= MAX_DURATION_MS;
};

/** Is it `every DURATION`? */
export const isEvery = (text: string): boolean => {
  const every = /^every (\S+)$/.exec(text);
  return every?.[1] !== undefined && isDuration(every[1]);
};

/** No field needs more digits; node-cron expands every range, and a number of ten digits would fill the memory. */
const MAX_LENGTH = 500;
const LONG_NUMBER = /\d{3}/;

/** Is it a cron expression of six fields? */
export function isCron(text: string): boolean {
  const expression = text.trim();
  if (expression.length > MAX_LENGTH || LONG_NUMBER.test(expression)) return false;
  return expression.split(/\s+/).length === 6 && validateDetailed(expression).valid;
}

/** As many of the next times are compared: those of a month of workdays. */
const COMPARED = 32;

/** The next times of a cron expression; none if it never matches, which makes node-cron throw. */
function nextTimes(expression: string, count: number): readonly number[] {
  const task = createTask(expression.trim(), () => {}, { timezone: 'Etc/UTC' });
  try {
    return task.getNextRuns(count).map((date) => date.getTime());
  } catch {
    return [];
  } finally {
    void task.destroy();
  }
}

/** The shortest time from one of the next times of a cron expression to the one after it, in milliseconds. */
export function shortestGapMs(expression: string): number {
  const times = nextTimes(expression, COMPARED);
  return Math.min(...times.slice(1).map((time, index) => time - (times[index] ?? 0)));
}

/** Does a cron expression ever match? A fifth Monday on the 5th never comes. */
export const comesUp = (expression: string): boolean => nextTimes(expression, 2).length === 2;
