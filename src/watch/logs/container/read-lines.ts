import type { ContainerPosition, LogPosition } from '../../../model/log.ts';

/** The position in the logs of a target's containers: the current one, and earlier ones. */
export type Position = Extract<LogPosition, { kind: 'container' }>;

/** The position per stream: Docker's timestamp of the last whole line, and how many lines carried it. */
export type Streams = Record<string, { at: string; count: number }>;

/** Positions kept of other containers with the same label, for those that alternate. */
const MAX_OTHERS = 8;

/** The position in the log of this container; without a known one reading starts at `startAt`, in Unix milliseconds. */
export function positionOf(position: Position | undefined, id: string, startAt: number): ContainerPosition {
  if (position?.id === id) return position;
  // A container that replaced another one is new, so its whole log is.
  const from = position === undefined ? startAt : 0;
  return position?.others?.find((other) => other.id === id) ?? { id, from, streams: {} };
}

/** The position when `current` is the container that is read; the one before it becomes one of the others. */
export function toPosition(before: Position | undefined, current: ContainerPosition): Position {
  const { id, from, streams } = current;
  const all = before === undefined ? [] : [before, ...(before.others ?? [])];
  const others = all.filter((other) => other.id !== id).slice(0, MAX_OTHERS);
  return {
    kind: 'container',
    ...{ id, from, streams },
    ...(others.length > 0 && {
      others: others.map((other) => ({ id: other.id, from: other.from, streams: other.streams })),
    }),
  };
}

/** Docker's timestamp of a line: as text, which sorts, and in Unix milliseconds the second and all of it. */
export interface Stamp {
  text: string;
  second: number;
  nanos: number;
  at: number;
}

/** Lines of stdout and stderr may be out of order, but never by more than this. */
const OVERLAP_MS = 5_000;

/** Limit of remembered lines. A stream with as many has no gaps, so the older half counts as completely read. */
export const MAX_RECENT = 65_536;

const findLast = (streams: Streams): string =>
  Object.values(streams).reduce((last, { at }) => (at > last ? at : last), '');

/**
 * Records a line as the position. After the clock was set back, later positions of other streams would hide their new
 * lines.
 */
function recordPosition(streams: Streams, stream: string, { text, at }: Stamp) {
  let known = streams[stream];
  if (known === undefined) {
    known = { at: '', count: 0 };
    streams[stream] = known;
  }
  if (known.at === text) {
    known.count++;
    return;
  }
  if (text < known.at)
    for (const other of Object.values(streams))
      if (Date.parse(other.at) > at + OVERLAP_MS) Object.assign(other, { at: text, count: 0 });
  known.at = text;
  known.count = 1;
}

/** Remembers the lines that were read from this second on, in Unix seconds: the log before it was read completely. */
function createRecent(startSecond: number) {
  /** By second, the stream and the nanoseconds of each line. A list takes far less time and memory than a map. */
  const seconds = new Map<number, number[]>();
  let from = startSecond;
  let size = 0;
  const toKey = (stream: string, nanos: number) => Number(stream) * 1e9 + nanos;
  const forget = (before: number) => {
    // A clock that was set back does not restore what was forgotten.
    from = Math.max(from, before);
    for (const [second, lines] of seconds)
      if (second < from) {
        seconds.delete(second);
        size -= lines.length;
      }
  };
  return {
    from: () => from,
    add: (stream: string, { second, nanos }: Stamp) => {
      const key = second / 1_000;
      if (key < from) return;
      const lines = seconds.get(key);
      if (lines === undefined) seconds.set(key, [toKey(stream, nanos)]);
      else lines.push(toKey(stream, nanos));
      if (++size <= MAX_RECENT) return;
      for (const oldest of [...seconds.keys()].sort((a, b) => a - b)) if (size > MAX_RECENT / 2) forget(oldest + 1);
    },
    /** Everything before this time, in Unix milliseconds, has been read. */
    forgetBefore: (at: number) => forget(Math.floor(at / 1_000)),
    /** Takes one line at a time out of a copy of what is remembered now. False for a line that is not there. */
    createTaker: () => {
      const left = new Map<number, Map<number, number>>();
      for (const [second, lines] of seconds) {
        const counts = new Map<number, number>();
        for (const key of lines) counts.set(key, (counts.get(key) ?? 0) + 1);
        left.set(second, counts);
      }
      return (stream: string, { second, nanos }: Stamp): boolean => {
        const counts = left.get(second / 1_000);
        const key = toKey(stream, nanos);
        const times = counts?.get(key) ?? 0;
        if (times > 0) counts?.set(key, times - 1);
        return times > 0;
      };
    },
  };
}

/** How a log was opened. */
export interface Opening {
  /** By the engine's clock, in Unix milliseconds. */
  readonly openedAt: number;
  /** Timestamp of the last line that was read before the log was requested; empty when there is none. */
  readonly readBefore: string;
  /** When the engine rotates the log: the number of files, and a time in which none can be filled. */
  readonly rotated?: { readonly files: number; readonly fillsMs: number } | undefined;
  /** The engine discarded lines before they were read, after the one with this Docker timestamp. */
  readonly onLost?: ((after: string) => void) | undefined;
}

/** What was read of one container's log: with it, a log that is opened again brings each line once. */
export type ReadLines = ReturnType<typeof createReadLines>;

/**
 * Continues at the positions of an earlier process, which it keeps up to date. Of a stream without one, what is stamped before
 * `from`, in Unix milliseconds, was read.
 */
export function createReadLines(streams: Streams, from: number) {
  let recent: ReturnType<typeof createRecent> | undefined;
  /** The timestamp up to which streams brought the complete log, without a gap. */
  let complete: string | undefined;

  /** Of an earlier process only the last line is known, so nothing before that is checked again. */
  const beginRecent = (openedAt: number) => {
    const last = findLast(streams);
    const begin = Math.max(openedAt - OVERLAP_MS, from, last === '' ? 0 : Date.parse(last));
    return createRecent(Math.floor(begin / 1_000) + 1);
  };

  return {
    /** The timestamp of the last line read of any stream; empty when there is none. */
    last: () => findLast(streams),
    /** The time from which the log is requested again, in Unix milliseconds. Undefined when nothing of it was read. */
    since: (): number | undefined => {
      const last = findLast(streams);
      if (last === '') return undefined;
      const remembered = (recent?.from() ?? Number.POSITIVE_INFINITY) * 1_000;
      return Math.min(Date.parse(last) - OVERLAP_MS, remembered, Date.parse(complete ?? last));
    },

    /** The log was opened again. Returns whether a line of it was read before, and records it. */
    open: ({ openedAt, readBefore, rotated, onLost }: Opening): ((stream: string, stamp: Stamp) => boolean) => {
      recent ??= beginRecent(openedAt);
      const { add, createTaker, forgetBefore } = recent;
      const takeRemembered = createTaker();
      const rememberedFrom = recent.from() * 1_000;
      const skips = new Map(Object.entries(structuredClone(streams)));
      const known = new Set(skips.keys());
      /** The engine sends what was there at the request before what is printed later. */
      let isCaughtUp = false;
      /** No line has arrived yet. The first one should be the last that an earlier opening is known to have brought. */
      let isFirst = true;
      /** The log starts late: the engine discarded lines, and every line since then was read before. */
      let startsLate = false;
      /** Of the last line that was recorded. */
      const recorded = { text: '', second: 0, nanos: 0 };

      const record = (stream: string, stamp: Stamp) => {
        const { text, second, nanos } = stamp;
        const position = streams[stream];
        // Almost every line is later than the one before, and numbers compare faster than timestamps.
        const isLater = second > recorded.second || (second === recorded.second && nanos > recorded.nanos);
        if (isLater && position?.at === recorded.text) {
          position.at = text;
          position.count = 1;
        } else recordPosition(streams, stream, stamp);
        recorded.text = text;
        recorded.second = second;
        recorded.nanos = nanos;
      };

      const wasRead = (stream: string, stamp: Stamp): boolean => {
        const skip = skips.get(stream);
        if (stamp.at >= rememberedFrom) {
          const old = takeRemembered(stream, stamp);
          if (!old && skip !== undefined && stamp.text > skip.at) skips.delete(stream);
          return old;
        }
        if (!known.has(stream)) return stamp.at < from;
        if (skip === undefined || stamp.text < skip.at) return skip !== undefined;
        if (stamp.text === skip.at && skip.count-- > 0) return true;
        skips.delete(stream);
        return false;
      };

      /**
       * With several files, streams are reopened long before the engine discards lines. So a late start means that the container
       * printed faster than it was read, or that the stream left out much. With a single file, a stream skips whole files, and
       * filling one takes time.
       */
      const findLoss = (old: boolean, { text, at }: Stamp) => {
        const last = findLast(streams);
        const wholeTo = complete ?? last;
        if (isFirst) startsLate = wholeTo !== '' && text > wholeTo;
        const fillsMs = rotated?.files === 1 ? rotated.fillsMs : 0;
        const isContinuous = !old && text > last && complete !== undefined && at - Date.parse(last) < fillsMs;
        const isLost = startsLate && (old ? isFirst && rotated?.files !== 1 : !isContinuous);
        if (!old || isLost) startsLate = false;
        if (isLost) {
          onLost?.(!old && text > last ? last : wholeTo);
          // Everything up to here was read, or was reported as lost.
          if (text > wholeTo) complete = text;
        } else if (isFirst && rotated !== undefined && readBefore >= wholeTo)
          complete = readBefore === '' ? text : readBefore;
        isFirst = false;
      };

      return (stream, stamp) => {
        const { text, at } = stamp;
        const old = wasRead(stream, stamp);
        if (isFirst || startsLate) findLoss(old, stamp);
        if (rotated !== undefined && at < openedAt && text > (complete ?? '')) complete = text;
        if (!old) {
          const skip = skips.get(stream);
          // The position stays ahead of a line that an earlier opening left out: the clock was not set back.
          if (skip === undefined || text >= skip.at) record(stream, stamp);
          add(stream, stamp);
        }
        if (!isCaughtUp && at >= openedAt) {
          isCaughtUp = true;
          forgetBefore(openedAt - OVERLAP_MS);
        }
        return old;
      };
    },
  };
}
