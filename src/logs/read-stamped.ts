import { createLineCutter, type LineCutter, MAX_LINE_BYTES } from './create-line-cutter.ts';

/** By stream: the time of the last whole line as Docker writes it, and how many lines carried it. */
export type Streams = Record<string, { at: string; count: number }>;

/** Docker writes the time of a line so: always with nine digits and in UTC, so that texts compare as times do. */
const STAMP_BYTES = '2026-11-21T09:00:00.000000000Z '.length;
const SECOND_BYTES = '2026-11-21T09:00:00'.length;

/** Lines of stdout and stderr are written in another order than stamped, but never so much apart. */
const OVERLAP_MS = 5_000;

/** Takes a line, as `OnLine` does, with Docker's time of it in Unix milliseconds; `old` when it was read before. */
export type OnStampedLine = (text: string, start: number, end: number, at: number, old: boolean) => void;

/** From when on, in Unix milliseconds, a log is asked for again; undefined when nothing was read of it. */
export function findSince(streams: Streams): number | undefined {
  const last = Object.values(streams)
    .map(({ at }) => at)
    .sort()
    .at(-1);
  return last === undefined ? undefined : Date.parse(last) - OVERLAP_MS;
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

/**
 * Cuts stamped messages into lines, each `old` that was read before: per stream, all stamped before the last line in
 * `streams`, and as many with its very time as were read; where there is none, all before `from`, in Unix milliseconds.
 * `onLost` is called when the log begins behind what was read.
 */
export function createStamped(
  streams: Streams,
  from: number,
  onLine: OnStampedLine,
  onLost: () => void = () => {},
): (stream: string, text: string) => void {
  /** The last line that was read comes again first, unless the engine has thrown it away, with what followed it perhaps. */
  let awaitsOld = Object.values(streams).some(({ count }) => count > 0);
  const skips = new Map(Object.entries(streams).map(([stream, { at, count }]) => [stream, { at, count }]));
  const known = new Set(skips.keys());
  const cutters = new Map<string, LineCutter>();
  const inside = new Set<string>();
  const repeats = new Map<string, ReturnType<typeof createRepeatFinder>>();
  const readStamp = createStampReader();
  let lastAt = 0;

  const isOld = (stream: string, stamp: string): boolean => {
    if (!known.has(stream)) return lastAt < from;
    const skip = skips.get(stream);
    if (skip === undefined) return false;
    if (stamp < skip.at) return true;
    if (stamp === skip.at && skip.count > 0) {
      skip.count--;
      return true;
    }
    skips.delete(stream);
    return false;
  };

  return (stream, text) => {
    const stamp = text.slice(0, STAMP_BYTES - 1);
    const endsLine = text.charCodeAt(text.length - 1) === 10;
    lastAt = readStamp(stamp);
    // The parts of a long line are stamped each; the last one's time stands for the line.
    if (endsLine) {
      const isRepeated = repeats.get(stream) ?? createRepeatFinder();
      repeats.set(stream, isRepeated);
      if (isRepeated(toKey(stamp, lastAt), text)) {
        cutters.delete(stream);
        inside.delete(stream);
        return;
      }
    }
    const old = endsLine && isOld(stream, stamp);
    if (awaitsOld && endsLine) {
      awaitsOld = false;
      if (!old) onLost();
    }
    if (endsLine && !old) note(streams, stream, stamp, lastAt);
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
