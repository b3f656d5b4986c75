import { findLast, type Streams } from './positions.ts';
import type { Recent } from './recent.ts';

/** Number of lines remembered to recognise repeated ones. */
const MAX_REMEMBERED = 2_048;

/** A timestamp as a number, unique within three months. */
export const toKey = (second: number, nanos: number): number => ((second / 1_000) % 8_000_000) * 1e9 + nanos;

/**
 * When it rotates a log, the engine may repeat the last lines in the same stream, in order and with the same
 * timestamps. The returned function decides for each line of a stream whether it is such a duplicate.
 */
export function createDuplicateFilter(): (key: number, text: string) => boolean {
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

/** Detects that the engine discarded lines between an earlier opening of a log and the start of this one. */
export interface LossDetector {
  /** Is there anything left to decide? False for almost every line. */
  isPending(): boolean;
  /** The next line has this timestamp, as text and in Unix milliseconds; `old` when it was read before. */
  observe(old: boolean, stamp: string, at: number): void;
}

/** What is known when a log is opened. */
export interface LossDetectorOptions {
  /** The positions; kept up to date by the reader. */
  readonly streams: Streams;
  /** Lines remembered from earlier openings. */
  readonly recent: Recent;
  /** Timestamp of the last line that was read before the log was requested; empty when there is none. */
  readonly readBefore: string;
  /** When the engine rotates the log: the number of files, and a time in which none can be filled. */
  readonly rotated?: { readonly files: number; readonly fillsMs: number };
  /** The engine discarded lines before they were read, after the one with this Docker timestamp. */
  readonly onLost?: (after: string) => void;
}

/**
 * Decides at the first lines of an opened log. With several files, streams are reopened long before the engine discards
 * lines. So a late start means that the container printed faster than it was read, or that the stream left out much.
 * With a single file, a stream skips whole files, and filling one takes time.
 */
export function createLossDetector({
  streams,
  recent,
  readBefore,
  rotated,
  onLost,
}: LossDetectorOptions): LossDetector {
  /** No line has arrived yet. The first one should be the last that an earlier opening is known to have brought. */
  let isFirst = true;
  /** The log starts late: the engine discarded lines, and every line since then was read before. */
  let startsLate = false;
  return {
    isPending: () => isFirst || startsLate,
    observe: (old, stamp, at) => {
      const last = findLast(streams);
      const wholeTo = recent.completeUntil() ?? last;
      if (isFirst) startsLate = wholeTo !== '' && stamp > wholeTo;
      const fillsMs = rotated?.files === 1 ? rotated.fillsMs : 0;
      const isContinuous =
        !old && stamp > last && recent.completeUntil() !== undefined && at - Date.parse(last) < fillsMs;
      const isLost = startsLate && (old ? isFirst && rotated?.files !== 1 : !isContinuous);
      if (!old || isLost) startsLate = false;
      if (isLost) {
        onLost?.(!old && stamp > last ? last : wholeTo);
        // Everything up to here was read, or was reported as lost.
        if (stamp > wholeTo) recent.extendComplete(stamp);
      } else if (isFirst && rotated !== undefined && readBefore >= wholeTo)
        recent.extendComplete(readBefore === '' ? stamp : readBefore);
      isFirst = false;
    },
  };
}

/** Recognises the lines of an opened log that earlier openings have read. */
export interface OldLines {
  /** Was this line read before? `at` is its timestamp in Unix milliseconds, `nanos` those of its second. */
  isOld(stream: string, stamp: string, at: number, nanos: number): boolean;
  /** Is this new line earlier than the position of its stream? Then an earlier opening has left it out. */
  isLeftOut(stream: string, stamp: string): boolean;
}

/**
 * Old are the lines that `recent` remembers. For earlier times, they are the lines of a stream up to its position in
 * `streams`; for a stream without a position, the lines before `from`, in Unix milliseconds. So a line that an earlier
 * opening left out still counts, as far back as `recent` reaches.
 */
export function createOldLines(streams: Streams, recent: Recent, from: number): OldLines {
  const snapshot = recent.snapshot();
  const skips = new Map(Object.entries(streams).map(([stream, { at, count }]) => [stream, { at, count }]));
  const known = new Set(skips.keys());
  return {
    isOld: (stream, stamp, at, nanos) => {
      const skip = skips.get(stream);
      if (at >= snapshot.from * 1_000) {
        const old = snapshot.consume(stream, at, nanos);
        if (!old && skip !== undefined && stamp > skip.at) skips.delete(stream);
        return old;
      }
      if (!known.has(stream)) return at < from;
      if (skip === undefined) return false;
      if (stamp < skip.at) return true;
      if (stamp === skip.at && skip.count > 0) {
        skip.count--;
        return true;
      }
      skips.delete(stream);
      return false;
    },
    isLeftOut: (stream, stamp) => {
      const skip = skips.get(stream);
      return skip !== undefined && stamp < skip.at;
    },
  };
}
