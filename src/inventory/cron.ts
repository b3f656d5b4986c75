import { createTask, validateDetailed } from 'node-cron';

/** No field needs more; node-cron writes out every range, and a number of ten digits would fill the memory. */
const MAX_LENGTH = 500;
const LONG_NUMBER = /\d{3}/;

/** Is it a cron expression of six fields? */
export function isCron(text: string): boolean {
  const expression = text.trim();
  if (expression.length > MAX_LENGTH || LONG_NUMBER.test(expression)) return false;
  return expression.split(/\s+/).length === 6 && validateDetailed(expression).valid;
}

/** Does a time come that a cron expression names, such as a fifth Monday that is the 5th? node-cron throws when none does. */
export function comesUp(expression: string): boolean {
  const task = createTask(expression.trim(), () => {}, { timezone: 'Etc/UTC' });
  try {
    return task.getNextRuns(2).length === 2;
  } catch {
    return false;
  } finally {
    void task.destroy();
  }
}
