import { createLineCutter, type LineCutter, MAX_LINE_BYTES } from '../../lib/bytes.ts';
import {
  createDuplicateFilter,
  createLossDetector,
  createOldLines,
  type LossDetectorOptions,
  toKey,
} from './log-filters.ts';
import { OVERLAP_MS, recordPosition } from './positions.ts';

/** A timestamp of Docker and the space after it. It has nine digits and is in UTC, so timestamps compare as text. */
export const STAMP_BYTES = '2026-11-21T09:00:00.000000000Z '.length;
const SECOND_BYTES = '2026-11-21T09:00:00'.length;
const ZERO = 0x30;

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

const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d) /;

/**
 * A message with a timestamp as Docker writes it: Podman gives whole seconds, or other digits and the zone of its machine. Undefined
 * without one, as Docker tells errors of its own in the stream.
 */
function withDockerStamp(text: string): string | undefined {
  if (text[STAMP_BYTES - 2] === 'Z' && text[STAMP_BYTES - 1] === ' ') return text;
  const [stamp, time, digits = '', zone] = STAMP.exec(text) ?? [];
  if (stamp === undefined) return undefined;
  const second = new Date(`${time}${zone}`).toISOString().slice(0, SECOND_BYTES);
  return `${second}.${digits.padEnd(9, '0')}Z ${text.slice(stamp.length)}`;
}

/** Receives a line, as `OnLine` does, with Docker's timestamp in Unix milliseconds; `old` when it was read before. */
export type OnStampedLine = (text: string, start: number, end: number, at: number, old: boolean) => void;

/** How an opened log is read. */
export interface StampedReaderOptions extends LossDetectorOptions {
  /** In a stream without a position, lines before this time are old; in Unix milliseconds. */
  readonly from: number;
  /** Time of the opening by the engine's clock, in Unix milliseconds. */
  readonly openedAt: number;
  readonly onLine: OnStampedLine;
}

/**
 * Splits the stamped messages of an opened log into lines and marks those that were read before as `old`. Records the
 * positions in `streams` and the new lines in `recent`.
 */
export function createStampedReader(options: StampedReaderOptions): (stream: string, text: string) => void {
  const { streams, from, recent, openedAt, rotated, onLine } = options;
  const oldLines = createOldLines(streams, recent, from);
  const loss = createLossDetector(options);
  /** The engine sends what was there at the request before what is printed later. */
  let isCaughtUp = false;
  const cutters = new Map<string, LineCutter>();
  const unfinished = new Set<string>();
  const duplicateFilters = new Map<string, ReturnType<typeof createDuplicateFilter>>();
  const readSecond = createSecondReader();
  /** The timestamp of the line that is being read: as text, and in Unix milliseconds its second and all of it. */
  const line = { stamp: '', second: 0, nanos: 0, at: 0 };
  /** The timestamp of the line that was last recorded as a position. */
  const recorded = { stamp: '', second: 0, nanos: 0 };

  const record = (stream: string) => {
    const { stamp, second, nanos, at } = line;
    const position = streams[stream];
    // Almost every line is later than the one before, and numbers compare faster than timestamps.
    const isLater = second > recorded.second || (second === recorded.second && nanos > recorded.nanos);
    if (isLater && position?.at === recorded.stamp) {
      position.at = stamp;
      position.count = 1;
    } else recordPosition(streams, stream, stamp, at);
    recorded.stamp = stamp;
    recorded.second = second;
    recorded.nanos = nanos;
  };

  const isDuplicate = (stream: string, text: string): boolean => {
    let filter = duplicateFilters.get(stream);
    if (filter === undefined) {
      filter = createDuplicateFilter();
      duplicateFilters.set(stream, filter);
    }
    return filter(toKey(line.second, line.nanos), text);
  };

  /** Records the line that ends here. Was it read before? */
  const recordEnd = (stream: string): boolean => {
    const { stamp, nanos, at } = line;
    const old = oldLines.isOld(stream, stamp, at, nanos);
    const isLeftOut = !old && oldLines.isLeftOut(stream, stamp);
    if (loss.isPending()) loss.observe(old, stamp, at);
    if (rotated !== undefined && at < openedAt && stamp > (recent.completeUntil() ?? '')) recent.extendComplete(stamp);
    // The position stays ahead of a line that was left out: the clock was not set back.
    if (!old && !isLeftOut) record(stream);
    if (!old) recent.add(stream, at, nanos);
    if (!isCaughtUp && at >= openedAt) {
      isCaughtUp = true;
      recent.forgetBefore(openedAt - OVERLAP_MS);
    }
    return old;
  };

  return (stream, message) => {
    const text = withDockerStamp(message);
    if (text === undefined) return;
    const endsLine = text.charCodeAt(text.length - 1) === 10;
    line.stamp = text.slice(0, STAMP_BYTES - 1);
    line.second = readSecond(text);
    line.nanos = readNanos(text);
    line.at = line.second + Math.trunc(line.nanos / 1e6);
    // Each part of a long line has a timestamp; that of the last part counts.
    if (endsLine && isDuplicate(stream, text)) {
      cutters.delete(stream);
      unfinished.delete(stream);
      return;
    }
    const old = endsLine && recordEnd(stream);
    const { at } = line;
    if (endsLine && !unfinished.has(stream)) {
      onLine(text, STAMP_BYTES, Math.min(text.length - 1, STAMP_BYTES + MAX_LINE_BYTES), at, old);
      return;
    }
    const cutter = cutters.get(stream) ?? createLineCutter();
    cutters.set(stream, cutter);
    cutter.push(text.slice(STAMP_BYTES), (whole, start, end) => onLine(whole, start, end, at, old));
    if (endsLine) unfinished.delete(stream);
    else unfinished.add(stream);
  };
}
