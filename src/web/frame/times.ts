import { html } from 'hono/html';
import { DAY_MS, formatSecond, renewAges } from '../../lib/duration.ts';
import { OLD_READING_MS } from '../../model/parent-chain.ts';
import type { Html } from './marks.ts';

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** The hour and minute in UTC, with the day if that is not today's. */
export function clockTime(wallMs: number, nowWall: number): string {
  const at = new Date(wallMs);
  const time = `${twoDigits(at.getUTCHours())}:${twoDigits(at.getUTCMinutes())}`;
  if (nowWall - wallMs < DAY_MS && new Date(nowWall).getUTCDate() === at.getUTCDate()) return time;
  return `${at.toISOString().slice(0, 10)} ${time}`;
}

/** How long, in the two units that matter: `8 s`, `5 min`, `1 h 17 min`, `12 days`. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** The hour, minute and second in UTC. */
const clockSecond = (wallMs: number): string => new Date(wallMs).toISOString().slice(11, 19);

/** The hour, minute and second in UTC, with the day if that is not today's. */
export const clockSince = (wallMs: number, nowWall: number): string =>
  formatSecond(wallMs).slice(0, 10) === formatSecond(nowWall).slice(0, 10)
    ? `${clockSecond(wallMs)} UTC`
    : formatSecond(wallMs);

/** How long, to the second below an hour: `9 min 33 s`. */
export function lastingExactly(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60 || seconds >= 3_600 || seconds % 60 === 0) return lasting(ms);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const timeElement = (wallMs: number, text: string): Html =>
  html`<time datetime="${new Date(wallMs).toISOString()}" title="${formatSecond(wallMs)}">${text}</time>`;

/** A moment as the clock shows it. */
export const at = (wallMs: number, nowWall: number): Html => timeElement(wallMs, clockTime(wallMs, nowWall));

/** A moment as the clock shows it, with seconds. */
export const atSecond = (wallMs: number): Html => timeElement(wallMs, clockSecond(wallMs));

/** A moment as how long ago it was; the script lets it run. */
export const ago = (wallMs: number, nowWall: number): Html =>
  html`<time class="ago" datetime="${new Date(wallMs).toISOString()}" title="${formatSecond(wallMs)}">${lasting(nowWall - wallMs)} ago</time>`;

/** How old a reading of the parent chain is, unless it has just been read. */
export const readAgo = (wallMs: number, nowWall: number): Html | string =>
  nowWall - wallMs < OLD_READING_MS ? '' : html`, read ${ago(wallMs, nowWall)}`;

/** A text with how long ago its moments are by now: a check is judged seconds before it is read. */
export const asOfNow = (text: string, nowWall: number): string => renewAges(text, { now: nowWall, toWall: Number });

/** Since when, and for how long. */
export const since = (wallMs: number, nowWall: number): Html =>
  html`since ${at(wallMs, nowWall)}, ${lasting(nowWall - wallMs)}`;

/** A whole number with commas between thousands. */
export const count = (value: number): string => String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
