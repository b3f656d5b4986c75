import type { Recent } from './recent.ts';
import { findLast, type Streams } from './stream-positions.ts';

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
