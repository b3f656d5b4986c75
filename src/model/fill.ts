import { formatDuration } from '../lib/duration.ts';
import { medianOf } from '../lib/numbers.ts';
import { formatBytes } from '../lib/words.ts';

/** Something of a limited size that fills up, such as a disk, in bytes; times are watched time. */
export interface Fill {
  readonly at: number;
  readonly used: number;
  /** How much more fits. */
  readonly free: number;
  readonly total: number;
  /** Ten minutes apart, for some hours, the oldest first. */
  readonly points: readonly { readonly at: number; readonly used: number }[];
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEP_MS = 10 * MINUTE;

/** The pace is that of so many hours, of which each counts alike, so that a burst within one of them does not. */
const HOURS = 6;

/** With fewer nothing is said of days. */
const LEAST_HOURS = 3;

/** A reading may be this far from the time that it stands for. */
const NEAR_MS = 6 * MINUTE;

/** Adds a reading. What has another size is another thing. */
export function foldFill(before: Fill | undefined, now: Pick<Fill, 'used' | 'free' | 'total'>, at: number): Fill {
  const isSame = before !== undefined && Math.abs(now.total - before.total) * 100 <= before.total && at > before.at;
  if (!isSame) return { ...now, at, points: [{ at, used: now.used }] };
  const { points } = before;
  if (at - (points.at(-1)?.at ?? 0) < STEP_MS) return { ...now, at, points };
  const kept = points.filter((one) => at - one.at <= HOURS * HOUR + STEP_MS);
  return { ...now, at, points: [...kept, { at, used: now.used }] };
}

/** What was added in each of the last steps, the newest first, up to the first of which that is not known. */
function findSteps({ at, used, points }: Fill, stepMs: number, most: number): readonly number[] {
  const usedAgo = (ago: number): number | undefined => {
    if (ago === 0) return used;
    const near = points.findLast((one) => Math.abs(at - ago - one.at) <= NEAR_MS);
    return near?.used;
  };
  const steps: number[] = [];
  for (let step = 0; step < most; step += 1) {
    const [after, before] = [usedAgo(step * stepMs), usedAgo((step + 1) * stepMs)];
    if (after === undefined || before === undefined) break;
    steps.push(after - before);
  }
  return steps;
}

/** How fast something fills, and when it is full at that pace. */
export interface Pace {
  readonly bytesPerHour: number;
  readonly overMs: number;
  readonly leftMs: number;
}

const toPace = (free: number, bytesPerHour: number, overMs: number): Pace | undefined =>
  bytesPerHour > 0 ? { bytesPerHour, overMs, leftMs: (free / bytesPerHour) * HOUR } : undefined;

/**
 * The pace of the last hours, by the median of what each added: a burst is no pace, and growth that stopped three hours ago is none any
 * more. Undefined while fewer than three hours are known, and without growth.
 */
export function findLongPace(fill: Fill): Pace | undefined {
  const hours = findSteps(fill, HOUR, HOURS);
  if (hours.length < LEAST_HOURS) return undefined;
  return toPace(fill.free, medianOf(hours) ?? 0, hours.length * HOUR);
}

/** The same. A steady hour counts alone if it leaves less than a day. */
export function findPace(fill: Fill): Pace | undefined {
  const steps = findSteps(fill, STEP_MS, HOUR / STEP_MS);
  const isSteady = steps.length === 6 && steps.filter((one) => one > 0).length >= 5 && (steps[0] ?? 0) > 0;
  const steep = isSteady ? toPace(fill.free, (medianOf(steps) ?? 0) * 6, HOUR) : undefined;
  return steep !== undefined && steep.leftMs < DAY ? steep : findLongPace(fill);
}

/** The time that is left, in days, hours or minutes. */
export function formatLeft({ leftMs }: Pace): string {
  const unit = leftMs >= 2 * DAY ? DAY : leftMs >= 2 * HOUR ? HOUR : MINUTE;
  return formatDuration(Math.max(MINUTE, Math.floor((leftMs + 1_000) / unit) * unit));
}

/** The pace as the end of a sentence: `took 2.1 GB a day over the last 6h`. */
export const describePace = ({ bytesPerHour, overMs }: Pace): string =>
  `took ${overMs > HOUR ? `${formatBytes(bytesPerHour * 24)} a day` : formatBytes(bytesPerHour)} over the last ${formatDuration(overMs)}`;
