import { createLineCutter, type LineCutter, MAX_LINE_BYTES } from '../model/create-line-cutter.ts';
import { createRecent, type Recent } from './recent.ts';

/** The position per stream: Docker's timestamp of the last whole line, and how many lines carried it. */
export type Streams = Record<string, { at: string; count: number }>;

/** Docker's timestamps always have nine digits and are in UTC, so they compare as text. */
const STAMP_BYTES = '2026-11-21T09:00:00.000000000Z '.length;
const SECOND_BYTES = '2026-11-21T09:00:00'.length;
const ZERO = 0x30;

/** Lines of stdout and stderr may be out of order, but never by more than this. */
export const OVERLAP_MS = 5_000;

/** Receives a line, as `OnLine` does, with Docker's timestamp in Unix milliseconds; `old` when it was read before. */
export type OnStampedLine = (text: string, start: number, end: number, at: number, old: boolean) => void;

/** The timestamp of the last line read of any stream; empty when there is none. */
export const findLast = (streams: Streams): string =>
  Object.values(streams).reduce((last, { at }) => (at > last ? at : last), '');

/** The time from which a log is requested again, in Unix milliseconds. Undefined when nothing of it was read. */
export function findSince(streams: Streams, recent?: Recent): number | undefined {
  const last = findLast(streams);
  if (last === '') return undefined;
  const wholeTo = recent?.completeUntil() || last;
  return Math.min(Date.parse(last) - OVERLAP_MS, (recent?.from() ?? Infinity) * 1_000, Date.parse(wholeTo));
}

/**
 * Starts to remember lines at the first opening of a log in this process. Of an earlier process only the last line is
 * known (`streams`), so nothing before that is checked again.
 */
export function createRecentOf(streams: Streams, from: number, openedAt: number): Recent {
  const last = findLast(streams);
  const begin = Math.max(openedAt - OVERLAP_MS, from, last === '' ? 0 : Date.parse(last));
  return createRecent(Math.floor(begin / 1_000) + 1);
}

/** Reads the second of timestamps, in Unix milliseconds; consecutive ones often share it. */
function createSecondReader(): (text: string) => number {
  let second: string | undefined;
  let at = 0;
  return (text) => {
    if (second === undefined || !text.startsWith(second)) {
      second = text.slice(0, SECOND_BYTES);
      at = Date.parse(`${second}Z`);
    }
    return at;
  };
}

/** Reads the nine digits after the second. This runs for each line, so it makes no text of them. */
function readNanos(text: string): number {
  let nanos = 0;
  for (let at = SECOND_BYTES + 1; at < SECOND_BYTES + 10; at++) nanos = nanos * 10 + text.charCodeAt(at) - ZERO;
  return nanos;
}

/** Number of lines remembered to recognise repeated ones. */
const MAX_REMEMBERED = 2_048;

/** A timestamp as a number, unique within three months. */
const toKey = (second: number, nanos: number): number => ((second / 1_000) % 8_000_000) * 1e9 + nanos;

/**
 * When it rotates a log, the engine may repeat the last lines in the same stream, in order and with the same
 * timestamps. The returned function decides for each line of a stream whether it is such a duplicate.
 */
function createDuplicateFilter(): (key: number, text: string) => boolean {
  const keys: number[] = [];
  let next = 0;
  let last = -1;
  let lastText = '';
  /** Index in `keys` of the last duplicate; absent while there are none. */
  let duplicateAt: number | undefined;
  return (key, text) => {
    if (duplicateAt !== undefined) {
      duplicateAt = (duplicateAt + 1) % MAX_REMEMBERED;
      if (duplicateAt !== next && keys[duplicateAt] === key) return true;
      duplicateAt = undefined;
    }
    if (key < last || (key === last && text === lastText)) {
      let found = keys.indexOf(key);
      // The oldest of those with the same timestamp; the others follow it.
      if (found === 0 && keys.length === MAX_REMEMBERED) found = Math.max(keys.indexOf(key, next), found);
      if (found !== -1) {
        duplicateAt = found;
        return true;
      }
    }
    keys[next] = key;
    next = (next + 1) % MAX_REMEMBERED;
    last = key;
    lastText = text;
    return false;
  };
}

/**
 * Records a line as the position. After the clock was set back, later positions of other streams would hide their new
 * lines.
 */
function recordPosition(streams: Streams, stream: string, stamp: string, at: number) {
  const known = streams[stream];
  if (known?.at === stamp) {
    known.count++;
    return;
  }
  if (known !== undefined && stamp < known.at)
    for (const [other, { at: last }] of Object.entries(streams))
      if (Date.parse(last) > at + OVERLAP_MS) streams[other] = { at: stamp, count: 0 };
  if (known === undefined) streams[stream] = { at: stamp, count: 1 };
  else {
    known.at = stamp;
    known.count = 1;
  }
}

/** How an opened log is read. */
export interface StampedOptions {
  /** The positions; kept up to date. */
  readonly streams: Streams;
  /** Unix milliseconds. */
  readonly from: number;
  /** Lines remembered from earlier openings. */
  readonly recent: Recent;
  /** Time of the opening by the engine's clock, in Unix milliseconds. */
  readonly openedAt: number;
  /** Timestamp of the last line that was read before the log was requested; empty when there is none. */
  readonly readBefore: string;
  /** When the engine rotates the log: the number of files, and a time in which none can be filled. */
  readonly rotated?: { readonly files: number; readonly fillsMs: number };
  readonly onLine: OnStampedLine;
  /** The engine discarded lines before they were read, after the one with this Docker timestamp. */
  readonly onLost?: (after: string) => void;
}

/**
 * Splits stamped messages into lines and marks those that were read before as `old`. These are the lines that `recent`
 * remembers. For earlier times, they are the lines of a stream up to its position in `streams`; for a stream without a
 * position, the lines before `from`. So a line that an earlier opening left out still counts, as far back as `recent`
 * reaches. Calls `onLost` when the log starts after the last line that was read.
 */
export function createStamped(options: StampedOptions): (stream: string, text: string) => void {
  const { streams, from, recent, openedAt, readBefore, rotated, onLine, onLost } = options;
  const snapshot = recent.snapshot();
  /** The engine sends what was there at the request before what is printed later. */
  let isCaughtUp = false;
  /** No line has arrived yet. The first one should be the last that an earlier opening is known to have brought. */
  let isFirst = true;
  /** The log starts late: the engine discarded lines, and every line since then was read before. */
  let startsLate = false;
  const skips = new Map(Object.entries(streams).map(([stream, { at, count }]) => [stream, { at, count }]));
  const known = new Set(skips.keys());
  const cutters = new Map<string, LineCutter>();
  const unfinished = new Set<string>();
  const duplicateFilters = new Map<string, ReturnType<typeof createDuplicateFilter>>();
  const readSecond = createSecondReader();
  /** The timestamp of the line that was last recorded as a position. */
  const recorded = { stamp: '', second: 0, nanos: 0 };
  let lastAt = 0;

  const isOld = (stream: string, stamp: string, nanos: number): boolean => {
    const skip = skips.get(stream);
    if (lastAt >= snapshot.from * 1_000) {
      const old = snapshot.consume(stream, lastAt, nanos);
      if (!old && skip !== undefined && stamp > skip.at) skips.delete(stream);
      return old;
    }
    if (!known.has(stream)) return lastAt < from;
    if (skip === undefined) return false;
    if (stamp < skip.at) return true;
    if (stamp === skip.at && skip.count > 0) {
      skip.count--;
      return true;
    }
    skips.delete(stream);
    return false;
  };

  /**
   * Decides whether lines between an earlier opening and the start of this log are lost. With several files, streams
   * are reopened long before the engine discards lines. So a late start means that the container printed faster than it
   * was read, or that the stream left out much. With a single file, a stream skips whole files, and filling one takes
   * time.
   */
  const checkLost = (old: boolean, stamp: string) => {
    const last = findLast(streams);
    const wholeTo = recent.completeUntil() ?? last;
    if (isFirst) startsLate = wholeTo !== '' && stamp > wholeTo;
    const fillsMs = rotated?.files === 1 ? rotated.fillsMs : 0;
    const isContinuous =
      !old && stamp > last && recent.completeUntil() !== undefined && lastAt - Date.parse(last) < fillsMs;
    const isLost = startsLate && (old ? isFirst && rotated?.files !== 1 : !isContinuous);
    if (!old || isLost) startsLate = false;
    if (isLost) {
      onLost?.(!old && stamp > last ? last : wholeTo);
      // Everything up to here was read, or was reported as lost.
      if (stamp > wholeTo) recent.extendComplete(stamp);
    } else if (isFirst && rotated !== undefined && readBefore >= wholeTo)
      recent.extendComplete(readBefore === '' ? stamp : readBefore);
    isFirst = false;
  };

  /** Was the line that ends here read before? Undefined when it is a duplicate within this stream. */
  const readEnd = (stream: string, stamp: string, text: string, second: number, nanos: number): boolean | undefined => {
    let isDuplicate = duplicateFilters.get(stream);
    if (isDuplicate === undefined) {
      isDuplicate = createDuplicateFilter();
      duplicateFilters.set(stream, isDuplicate);
    }
    if (isDuplicate(toKey(second, nanos), text)) return undefined;
    const old = isOld(stream, stamp, nanos);
    // The clock was not set back; an earlier opening left out this line. The position stays ahead of it.
    const skip = skips.get(stream);
    const isLeftOut = !old && skip !== undefined && stamp < skip.at;
    if (isFirst || startsLate) checkLost(old, stamp);
    if (rotated !== undefined && lastAt < openedAt && stamp > (recent.completeUntil() ?? ''))
      recent.extendComplete(stamp);
    if (!old && !isLeftOut) {
      const position = streams[stream];
      // Almost every line is later than the one before, and numbers compare faster than timestamps.
      const isLater = second > recorded.second || (second === recorded.second && nanos > recorded.nanos);
      if (isLater && position?.at === recorded.stamp) {
        position.at = stamp;
        position.count = 1;
      } else recordPosition(streams, stream, stamp, lastAt);
      recorded.stamp = stamp;
      recorded.second = second;
      recorded.nanos = nanos;
    }
    if (!old) recent.add(stream, lastAt, nanos);
    if (!isCaughtUp && lastAt >= openedAt) {
      isCaughtUp = true;
      recent.forgetBefore(openedAt - OVERLAP_MS);
    }
    return old;
  };

  return (stream, text) => {
    const stamp = text.slice(0, STAMP_BYTES - 1);
    const endsLine = text.charCodeAt(text.length - 1) === 10;
    const second = readSecond(text);
    const nanos = readNanos(text);
    lastAt = second + Math.trunc(nanos / 1e6);
    // Each part of a long line has a timestamp; that of the last part counts.
    const old = endsLine ? readEnd(stream, stamp, text, second, nanos) : false;
    if (old === undefined) {
      cutters.delete(stream);
      unfinished.delete(stream);
      return;
    }
    if (endsLine && !unfinished.has(stream)) {
      onLine(text, STAMP_BYTES, Math.min(text.length - 1, STAMP_BYTES + MAX_LINE_BYTES), lastAt, old);
      return;
    }
    const cutter = cutters.get(stream) ?? createLineCutter();
    cutters.set(stream, cutter);
    cutter.push(text.slice(STAMP_BYTES), (whole, start, end) => onLine(whole, start, end, lastAt, old));
    if (endsLine) unfinished.delete(stream);
    else unfinished.add(stream);
  };
}
