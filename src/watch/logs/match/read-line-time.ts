import { HOUR_MS } from '../../../lib/duration.ts';
import { isNodeLine, toPrinted } from './line-form.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The parts of a time that names no zone; the year is absent where the program prints none. */
interface WallTime {
  readonly year?: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ms: number;
}

const toWallTime = (year: number | undefined, month: number, day: number, clock: readonly number[]): WallTime => {
  const [hour = 0, minute = 0, second = 0, ms = 0] = clock;
  return { year, month, day, hour, minute, second, ms };
};

const numbers = (match: RegExpExecArray): readonly number[] => match.slice(1).map(Number);

/** 1 to 12; 0 for no month. */
const toMonth = (name = ''): number => MONTHS.indexOf(name) + 1;

/** The minute of a node's line: `MM-DD|HH:MM`. */
function readNodeMinute(minute: string): WallTime {
  const part = (at: number) => Number(minute.slice(at, at + 2));
  return { month: part(0), day: part(3), hour: part(6), minute: part(9), second: 0, ms: 0 };
}

/** Of Nethermind. */
const CONSOLE = /^(?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<clock>\d\d:\d\d:\d\d) \| /;
/** What the journal puts before a line. */
const JOURNAL = /^(?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<clock>\d\d:\d\d:\d\d) /;

/** Times as Nethermind, Go's own log, the journal, winston, redis and serve print them, at the start of a line only. */
function readWallTime(line: string): WallTime | undefined {
  const yearless = CONSOLE.exec(line)?.groups ?? JOURNAL.exec(line)?.groups;
  if (yearless) {
    const { day, month, clock = '' } = yearless;
    return toWallTime(undefined, toMonth(month), Number(day), clock.split(':').map(Number));
  }
  // Nethermind's file has four digits behind the second, and Go's own log has slashes.
  const winston = /^(\d{4})[-/](\d\d)[-/](\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{3}))?(?!\S*Z)/.exec(line);
  if (winston) {
    const [year = 0, month = 0, day = 0, ...clock] = numbers(winston);
    return toWallTime(
      year,
      month,
      day,
      clock.map((part) => part || 0),
    );
  }
  const redis = /^\[0\] \d+:[A-Z] (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d)\.(\d{3})/.exec(line);
  if (redis) {
    const [day = 0, , year = 0, ...clock] = numbers(redis);
    return toWallTime(year, toMonth(redis[2]), day, clock);
  }
  const serve = /^ HTTP {2}(\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}):(\d\d):(\d\d) ([AP])M/.exec(line);
  if (serve) {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = numbers(serve);
    return toWallTime(year, month, day, [(hour % 12) + (serve[7] === 'P' ? 12 : 0), minute, second]);
  }
  return undefined;
}

/** Offset of a zone from UTC at about this time, in milliseconds. */
function zoneOffset(timezone: string, utc: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(utc);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return shown - Math.floor(utc / 1000) * 1000;
}

const ISO = String.raw`\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)`;
/** The relayer's line, a node's in JSON and in logfmt, and what `docker logs -t`, Kubernetes and Docker's files tell. */
const ZONED = new RegExp(
  `^(?:\\[1\\] \\{.*"time":"(${ISO})"|\\{"t":"(${ISO})"|t=(${ISO}) |(${ISO})|\\{"log":".*"time":"(${ISO})")`,
);

/** Reads the time in a line, in Unix milliseconds. `now` supplies the year where none is printed. */
export type ReadLineTime = (line: string, now: number) => number | undefined;

/** `timezone`, an IANA name, applies to times without a zone. */
export function createLineTimeReader(timezone: string): ReadLineTime {
  // Zones change their offset on quarters of an hour at most, so one lookup per hour is enough.
  let known: { readonly hour: number; readonly offset: number } | undefined;
  const toUtc = (local: number): number => {
    if (timezone === 'UTC') return local;
    const hour = Math.floor(local / HOUR_MS);
    if (known?.hour !== hour) {
      const guess = local - zoneOffset(timezone, local);
      known = { hour, offset: zoneOffset(timezone, guess) };
    }
    return local - known.offset;
  };

  const toTime = (parts: WallTime, now: number): number | undefined => {
    const { month, day, hour, minute, second, ms } = parts;
    if (month < 1 || month > 12) return undefined;
    const inYear = (year: number) => toUtc(Date.UTC(year, month - 1, day, hour, minute, second, ms));
    if (parts.year !== undefined) return inYear(parts.year);
    const year = new Date(now).getUTCFullYear();
    // A date far in the future is from last year; the margin allows for clock skew.
    const at = inYear(year);
    return at > now + 36 * HOUR_MS ? inYear(year - 1) : at < now - 364 * 24 * HOUR_MS ? inYear(year + 1) : at;
  };

  // Nodes print many lines a minute. Within a second of reading, the year cannot change.
  let last: { readonly minute: string; readonly now: number; readonly at: number | undefined } | undefined;
  const readNodeTime = (line: string, now: number): number | undefined => {
    const minute = line.slice(6, 17);
    if (last?.minute !== minute || Math.abs(now - last.now) > 1_000)
      last = { minute, now, at: toTime(readNodeMinute(minute), now) };
    // The seconds are followed by a fraction or by `] `.
    return last.at === undefined ? undefined : last.at + Math.round(Number.parseFloat(line.slice(18, 24)) * 1_000);
  };
  const readPrinted = (line: string, now: number): number | undefined => {
    if (isNodeLine(line)) return readNodeTime(line, now);
    const zoned = ZONED.exec(line);
    if (zoned) {
      const at = Date.parse(zoned.slice(1).find((time) => time !== undefined) ?? '');
      return Number.isNaN(at) ? undefined : at;
    }
    const parts = readWallTime(line);
    return parts && toTime(parts, now);
  };
  return (line, now) => {
    if (isNodeLine(line)) return readNodeTime(line, now);
    const printed = toPrinted(line);
    const own = readPrinted(printed, now);
    // Else the time that whoever saved the line has put before it.
    return own === undefined && printed !== line ? readPrinted(line, now) : own;
  };
}
