import { createLineCutter, type LineCutter, MAX_LINE_BYTES } from '../model/create-line-cutter.ts';
import { createRecent, type Recent } from './recent.ts';

/** By stream: the time of the last whole line as Docker writes it, and how many lines carried it. */
export type Streams = Record<string, { at: string; count: number }>;

/** Docker writes the time of a line so: always with nine digits and in UTC, so that texts compare as times do. */
const STAMP_BYTES = '2026-11-21T09:00:00.000000000Z '.length;
const SECOND_BYTES = '2026-11-21T09:00:00'.length;

/** Lines of stdout and stderr are written in another order than stamped, but never so much apart. */
export const OVERLAP_MS = 5_000;

/** Takes a line, as `OnLine` does, with Docker's time of it in Unix milliseconds; `old` when it was read before. */
export type OnStampedLine = (text: string, start: number, end: number, at: number, old: boolean) => void;

/** The time of the last line that was read of any stream; empty when none was. */
export const findLast = (streams: Streams): string =>
  Object.values(streams).reduce((last, { at }) => (at > last ? at : last), '');

/**
 * From when on, in Unix milliseconds, a log is asked for again, given what is remembered of it; undefined when nothing was
 * read of it.
 */
export function findSince(streams: Streams, recent?: Recent): number | undefined {
  const last = findLast(streams);
  if (last === '') return undefined;
  const wholeTo = recent?.wholeTo() || last;
  return Math.min(Date.parse(last) - OVERLAP_MS, (recent?.from() ?? Infinity) * 1_000, Date.parse(wholeTo));
}

/**
 * Remembers what is read of a log from its first opening in this process on, at `openedAt`, from `from` on. What an earlier
 * process has read, which `streams` tell, is known only by its last line, so nothing up to that is looked for again.
 */
export function createRecentOf(streams: Streams, from: number, openedAt: number): Recent {
  const last = findLast(streams);
  const begin = Math.max(openedAt - OVERLAP_MS, from, last === '' ? 0 : Date.parse(last));
  return createRecent(Math.floor(begin / 1_000) + 1);
}

/** Reads stamps one after another, of which many are of one second, in Unix milliseconds. */
function createStampReader(): (stamp: string) => number {
  let second = '';
  let at = 0;
  return (stamp) => {
    const own = stamp.slice(0, SECOND_BYTES);
    if (own !== second) {
      second = own;
      at = Date.parse(`${own}Z`);
    }
    return at + Number(stamp.slice(SECOND_BYTES + 1, SECOND_BYTES + 4));
  };
}

/** So many lines are remembered to know those that the engine brings again. */
const REMEMBERED = 2_048;

/** A stamp as a number that no other within three months has. */
const toKey = (stamp: string, at: number): number =>
  (Math.floor(at / 1_000) % 8_000_000) * 1e9 + Number(stamp.slice(SECOND_BYTES + 1, SECOND_BYTES + 10));

/**
 * Where it rotates a log, the engine brings some of the last lines once more in the same stream. Tells of each line of one
 * stream whether it is such: those come in the order in which they were, with the very same stamps.
 */
function createRepeatFinder(): (key: number, text: string) => boolean {
  const keys: number[] = [];
  let next = 0;
  let last = -1;
  let lastText = '';
  /** Where the repetition is in `keys`; absent when there is none. */
  let place: number | undefined;
  return (key, text) => {
    if (place !== undefined) {
      place = (place + 1) % REMEMBERED;
      if (place !== next && keys[place] === key) return true;
      place = undefined;
    }
    if (key < last || (key === last && text === lastText)) {
      let found = keys.indexOf(key);
      // The oldest of those that share a stamp: the others follow.
      if (found === 0 && keys.length === REMEMBERED) found = Math.max(keys.indexOf(key, next), found);
      if (found !== -1) {
        place = found;
        return true;
      }
    }
    keys[next] = key;
    next = (next + 1) % REMEMBERED;
    last = key;
    lastText = text;
    return false;
  };
}

/** Notes a line. When the clock was set back, what other streams had before would hide what they print from now on. */
function note(streams: Streams, stream: string, stamp: string, at: number) {
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

/** How a log that was opened is read. */
export interface StampedOptions {
  /** What was read before; brought up to date. */
  readonly streams: Streams;
  /** In Unix milliseconds. */
  readonly from: number;
  /** What is remembered of earlier openings. */
  readonly recent: Recent;
  /** By the engine's clock, in Unix milliseconds. */
  readonly openedAt: number;
  /** The time of the last line that was read before the log was asked for; empty when none was. */
  readonly readBefore: string;
  /** Given where the engine rotates the log: how many files it keeps, and in less than which time none is filled. */
  readonly rotated?: { readonly files: number; readonly fillsMs: number };
  readonly onLine: OnStampedLine;
  /** The engine threw lines away before they were read, after the one with this time of Docker's. */
  readonly onLost?: (after: string) => void;
}

/**
 * Cuts stamped messages into lines, each `old` that was read before: those that `recent` remembers; of earlier times per
 * stream all stamped before the last line in `streams`, and as many with its very time as were read; where there is none, all
 * before `from`. So a line that an earlier opening left out is counted, as long as `recent` reaches back to it.
 * `onLost` is called when the log begins behind what was read.
 */
export function createStamped(options: StampedOptions): (stream: string, text: string) => void {
  const { streams, from, recent, openedAt, readBefore, rotated, onLine, onLost } = options;
  const claim = recent.claim();
  /** The engine brings what was there when it was asked before what is printed since. */
  let isCaughtUp = false;
  /** No line has come yet; the last one that an earlier opening is known to have brought is asked for again. */
  let isFirst = true;
  /** The engine has thrown away what an earlier opening may have left out; all lines since then were read before. */
  let beginsLate = false;
  const skips = new Map(Object.entries(streams).map(([stream, { at, count }]) => [stream, { at, count }]));
  const known = new Set(skips.keys());
  const cutters = new Map<string, LineCutter>();
  const inside = new Set<string>();
  const repeats = new Map<string, ReturnType<typeof createRepeatFinder>>();
  const readStamp = createStampReader();
  let lastAt = 0;

  const isOld = (stream: string, stamp: string, nanos: number): boolean => {
    const skip = skips.get(stream);
    if (lastAt >= claim.from * 1_000) {
      const old = claim.take(stream, lastAt, nanos);
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
   * Where the log begins behind what an earlier opening is known to have brought whole, its stream alone has brought what lies
   * between. Streams are opened again long before the engine throws that away where it keeps several files: so it printed
   * faster than it was read, or left out much. Where it keeps one, a stream leaves out whole files, which take their time.
   */
  const checkLost = (old: boolean, stamp: string) => {
    const last = findLast(streams);
    const wholeTo = recent.wholeTo() ?? last;
    if (isFirst) beginsLate = wholeTo !== '' && stamp > wholeTo;
    const fillsMs = rotated?.files === 1 ? rotated.fillsMs : 0;
    const goesOn = !old && stamp > last && recent.wholeTo() !== undefined && lastAt - Date.parse(last) < fillsMs;
    const isLost = beginsLate && (old ? isFirst && rotated?.files !== 1 : !goesOn);
    if (!old || isLost) beginsLate = false;
    if (isLost) {
      onLost?.(!old && stamp > last ? last : wholeTo);
      // All up to here was read, or was told as lost.
      if (stamp > wholeTo) recent.extendWhole(stamp);
    } else if (isFirst && rotated !== undefined && readBefore >= wholeTo)
      recent.extendWhole(readBefore === '' ? stamp : readBefore);
    isFirst = false;
  };

  /** Whether the line that ends here was read before; undefined when this very stream has brought it. */
  const readEnd = (stream: string, stamp: string, text: string): boolean | undefined => {
    const isRepeated = repeats.get(stream) ?? createRepeatFinder();
    repeats.set(stream, isRepeated);
    const key = toKey(stamp, lastAt);
    if (isRepeated(key, text)) return undefined;
    const nanos = key % 1e9;
    const old = isOld(stream, stamp, nanos);
    // No clock was set back where an earlier opening has left out a line: the position stays ahead of it.
    const skip = skips.get(stream);
    const isLeftOut = !old && skip !== undefined && stamp < skip.at;
    if (isFirst || beginsLate) checkLost(old, stamp);
    if (rotated !== undefined && lastAt < openedAt && stamp > (recent.wholeTo() ?? '')) recent.extendWhole(stamp);
    if (!old && !isLeftOut) note(streams, stream, stamp, lastAt);
    if (!old) recent.add(stream, lastAt, nanos);
    if (!isCaughtUp && lastAt >= openedAt) {
      isCaughtUp = true;
      recent.complete(openedAt - OVERLAP_MS);
    }
    return old;
  };

  return (stream, text) => {
    const stamp = text.slice(0, STAMP_BYTES - 1);
    const endsLine = text.charCodeAt(text.length - 1) === 10;
    lastAt = readStamp(stamp);
    // The parts of a long line are stamped each; the last one's time stands for the line.
    const old = endsLine ? readEnd(stream, stamp, text) : false;
    if (old === undefined) {
      cutters.delete(stream);
      inside.delete(stream);
      return;
    }
    if (endsLine && !inside.has(stream)) {
      onLine(text, STAMP_BYTES, Math.min(text.length - 1, STAMP_BYTES + MAX_LINE_BYTES), lastAt, old);
      return;
    }
    const cutter = cutters.get(stream) ?? createLineCutter();
    cutters.set(stream, cutter);
    cutter.push(text.slice(STAMP_BYTES), (whole, start, end) => onLine(whole, start, end, lastAt, old));
    if (endsLine) inside.delete(stream);
    else inside.add(stream);
  };
}
