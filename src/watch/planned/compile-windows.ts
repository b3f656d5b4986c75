import { createTask, parse } from 'node-cron';
import type { WallMs } from '../../lib/clock.ts';
import { DAY_MS } from '../../lib/duration.ts';
import type { MaintenanceWindow, PlannedWork } from '../../model/planned-work.ts';

/** Who announced what the inventory holds. */
const BY = 'the inventory';

/** The last time of a day at which a cron expression matches, in milliseconds after midnight; not after `most`. */
type LastOfDay = (most: number) => number | undefined;

function toLastOfDay({ hour, minute, second }: ReturnType<typeof parse>): LastOfDay {
  const last = (values: readonly number[], most: number): number | undefined =>
    values.reduce<number | undefined>(
      (best, value) => (value <= most && value > (best ?? -1) ? value : best),
      undefined,
    );
  return (most) => {
    const seconds = Math.floor(most / 1_000);
    const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
    const toMs = (hours?: number, minutes?: number, rest?: number): number | undefined =>
      hours === undefined || minutes === undefined || rest === undefined
        ? undefined
        : ((hours * 60 + minutes) * 60 + rest) * 1_000;
    const isHour = hour.includes(h);
    return (
      (isHour && minute.includes(m) ? toMs(h, m, last(second, s)) : undefined) ??
      (isHour ? toMs(h, last(minute, m - 1), last(second, 59)) : undefined) ??
      toMs(last(hour, h - 1), last(minute, 59), last(second, 59))
    );
  };
}

/** The last time at which a cron expression matched in UTC, if that is less than `withinMs` ago. */
function compileLast(expression: string): (at: WallMs, withinMs: number) => WallMs | undefined {
  const task = createTask(expression, () => {}, { timezone: 'Etc/UTC' });
  void task.destroy();
  const lastOfDay = toLastOfDay(parse(expression));
  return (at, withinMs) => {
    const today = Math.floor(at / DAY_MS) * DAY_MS;
    for (let day = today; day > at - withinMs - DAY_MS; day -= DAY_MS) {
      const ofDay = lastOfDay(Math.min(at - day, DAY_MS - 1));
      if (ofDay === undefined) continue;
      const time = day + ofDay;
      // The day matches for each of its times alike.
      if (task.match(new Date(time))) return at - time < withinMs ? time : undefined;
    }
    return undefined;
  };
}

/** The work that the windows of an inventory announce at a moment: those that are in force, and those with dates. */
export function compileWindows(windows: readonly MaintenanceWindow[]): (at: WallMs) => readonly PlannedWork[] {
  const compiled = windows.map((window) => {
    const { subnet, component, name, reason } = window;
    const work = { subnet, ...(component && { component }), ...(name !== undefined && { name }), reason, by: BY };
    if (window.kind === 'once') {
      const once = [{ ...work, from: window.from, until: window.until }];
      return () => once;
    }
    const last = compileLast(window.expression);
    return (at: WallMs) => {
      const from = last(at, window.lastsMs);
      return from === undefined ? [] : [{ ...work, from, until: from + window.lastsMs }];
    };
  });
  return (at) => compiled.flatMap((worksAt) => worksAt(at));
}
