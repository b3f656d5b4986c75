import { z } from 'zod';
import { durationMs, formatDuration } from '../../lib/duration.ts';
import type { MaintenanceWindow } from '../../model/planned-work.ts';
import { COMPONENTS } from '../../model/target.ts';
import { text } from './address-schema.ts';
import { comesUp, DURATION, isCron, shortestGapMs } from './schedule.ts';

const MOST_MS = 7 * 24 * 3_600_000;

const FOR_HELP = 'must be a duration such as 30m or 2h, at most 168h';
const isLength = (value: string): boolean =>
  DURATION.test(value) && durationMs(value) >= 1 && durationMs(value) <= MOST_MS;

const SCHEDULE_HELP = "must be a cron expression of six fields in UTC, such as '0 0 22 * * 6'";

const TIME_HELP = 'must be a time in UTC such as 2026-12-01T22:00Z';
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?Z$/;

/** The time of a text in milliseconds; undefined for the 30th of February too, which JavaScript takes for March. */
function parseTime(value: string): number | undefined {
  const ms = TIME.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(value.slice(0, -1)) ? ms : undefined;
}

const time = z.string(TIME_HELP).refine((value) => parseTime(value) !== undefined, TIME_HELP);

const REASON_HELP = 'must say why, in at most 1000 printable characters';

const window = z
  .strictObject({
    subnet: text('the name of a subnet').describe('The subnet under maintenance.'),
    component: z
      .enum(COMPONENTS, `must be one of ${COMPONENTS.join(', ')}`)
      .optional()
      .describe('Only this component. Without it and `name` the work is on the whole subnet.'),
    name: text('the name of a target').optional().describe('Only the target with this name.'),
    schedule: z
      .string(SCHEDULE_HELP)
      .refine(isCron, { error: SCHEDULE_HELP, abort: true })
      .refine(comesUp, 'names a time that never comes; correct its day and month')
      .optional()
      .describe('For recurring work, when it begins: a cron expression of six fields in UTC.'),
    for: z.string(FOR_HELP).refine(isLength, FOR_HELP).optional().describe('With `schedule`: how long the work takes.'),
    from: time.optional().describe('For one-off work, when it begins, in UTC, such as 2026-12-01T22:00Z.'),
    until: time.optional().describe('With `from`: when it ends.'),
    reason: z
      .string(REASON_HELP)
      .regex(/^[^\p{C}]{1,1000}$/u, REASON_HELP)
      .refine((value) => value.trim() !== '', REASON_HELP)
      .describe('The reason, for anyone who notices that something does not work.'),
  })
  .superRefine((value, context) => {
    const add = (key: 'for' | 'until', message: string) => context.addIssue({ code: 'custom', path: [key], message });
    const { schedule, from, until, for: lasts } = value;
    const isCronWindow = schedule !== undefined && lasts !== undefined && from === undefined && until === undefined;
    const isOnce = from !== undefined && until !== undefined && schedule === undefined && lasts === undefined;
    if (!isCronWindow && !isOnce)
      context.addIssue({ code: 'custom', message: 'needs schedule and for, or from and until' });
    const [begin, end] = isOnce ? [parseTime(from), parseTime(until)] : [];
    if (begin !== undefined && end !== undefined && end <= begin) add('until', 'must be later than from');
    if (!isCronWindow) return;
    const gapMs = shortestGapMs(schedule);
    if (durationMs(lasts) >= gapMs)
      add(
        'for',
        `must be less than ${formatDuration(gapMs)}, after which the schedule begins again; the work would not end`,
      );
  });

/** Planned work, of which nobody is notified. */
export const maintenance = z
  .array(window, 'must be a list of maintenance windows')
  .optional()
  .describe('Planned work. Checks keep running, but failures that begin during it are not notified until it ends.');

/** A window of the document as the program's value. */
export function toWindow(document: z.output<typeof window>): MaintenanceWindow {
  const { subnet, component, name, reason, schedule, for: lasts, from, until } = document;
  const subject = { subnet, reason, ...(component && { component }), ...(name !== undefined && { name }) };
  if (schedule !== undefined && lasts !== undefined)
    return { ...subject, kind: 'cron', expression: schedule.trim(), lastsMs: durationMs(lasts) };
  return { ...subject, kind: 'once', from: parseTime(from ?? '') ?? 0, until: parseTime(until ?? '') ?? 0 };
}
