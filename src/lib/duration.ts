import type { WallMs, WatchedMs } from './clock.ts';

/** In milliseconds. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: MINUTE_MS, h: HOUR_MS };

/** `500ms`, `10s`, `5m`, `1h` in milliseconds; the text has been checked before. */
export function durationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text);
  return Number(match?.[1]) * (UNIT_MS[match?.[2] ?? ''] ?? Number.NaN);
}

/** From so many hours on, days say more. */
const MOST_HOURS = 48;

/** Milliseconds as a person says them: `45s`, `2m 5s`, `3h 10m`, `2d 4h`. No program reads it: the inventory knows no days. */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < 1000) return `${Math.round(ms)}ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.round(seconds / 60);
  const hours = Math.round(minutes / 60);
  const join = (whole: number, each: number, unit: string, rest: string) =>
    `${Math.floor(whole / each)}${unit}${whole % each === 0 ? '' : ` ${whole % each}${rest}`}`;
  if (seconds < 3600) return join(seconds, 60, 'm', 's');
  return minutes < MOST_HOURS * 60 ? join(minutes, 60, 'h', 'm') : join(hours, 24, 'd', 'h');
}

/** How long ago a moment was, as `45s ago`, in whole seconds that have passed. A moment after `now`, by a clock that differs, is `just now`. */
export const formatAgo = (at: number, now: number): string =>
  now - at < 1_000 ? 'just now' : `${formatDuration(Math.floor((now - at) / 1_000) * 1_000)} ago`;

/** Parses a duration such as 30s or 1h to milliseconds; undefined for 0 and anything else. */
export function parseDuration(text: string): number | undefined {
  const ms = durationMs(text);
  return ms > 0 && Number.isFinite(ms) ? ms : undefined;
}

/** A quarter of an hour in milliseconds: time zones differ by multiples of it. */
export const QUARTER_MS = 15 * 60_000;

const toUtc = (at: WallMs, digits: number): string =>
  `${new Date(at).toISOString().slice(0, digits).replace('T', ' ')} UTC`;

/** As ISO 8601, in UTC. */
export const toIso = (at: WallMs): string => new Date(at).toISOString();

/** As `2026-12-01 22:00 UTC`. */
export const formatMinute = (at: WallMs): string => toUtc(at, 16);

/** As `2026-12-01 22:00:00 UTC`. */
export const formatSecond = (at: WallMs): string => toUtc(at, 19);

/** When something is read, and the wall time of a moment. */
export interface Moment {
  readonly now: WatchedMs;
  /** NaN where it is not known. */
  readonly toWall: (at: WatchedMs) => WallMs;
}

/** How long ago a moment was, and when, for what may be read later: `45s ago (22:00:00 UTC)`, with its day if that was not just now. */
export function formatMoment(at: WatchedMs, { now, toWall }: Moment): string {
  const wall = toWall(at);
  if (Number.isNaN(wall)) return formatAgo(at, now);
  const second = formatSecond(wall);
  return `${formatAgo(at, now)} (${now - at < DAY_MS ? second.slice(11) : second})`;
}

/** A moment as `formatMoment` says it; group 1 is when it was. */
const MOMENT = /\b(?:just now|\d+[dhms](?: \d+[hms])? ago) \(((?:[\d-]+ )?[\d:]+ UTC)\)/g;

/** A text that is not renewed any more, without how long ago its moments were: `at 22:00:00 UTC`. */
export const dropAges = (text: string): string => text.replaceAll(MOMENT, 'at $1');

/** A text of up to a day ago with how long ago its moments are by now. */
export function renewAges(text: string, { now, toWall }: Moment): string {
  const wall = toWall(now);
  if (Number.isNaN(wall)) return text;
  return text.replaceAll(MOMENT, (said: string, when: string) => {
    const at = Date.parse(when.includes('-') ? when : `${formatSecond(wall).slice(0, 10)} ${when}`);
    // What is ahead is of the day before, or just now by a clock that differs.
    const isOfDayBefore = at - wall > (said.startsWith('just') ? DAY_MS / 2 : 0);
    return `${formatAgo(isOfDayBefore ? at - DAY_MS : at, wall)} (${when})`;
  });
}
