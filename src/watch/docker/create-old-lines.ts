import type { Recent } from './recent.ts';
import type { Streams } from './stream-positions.ts';

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
