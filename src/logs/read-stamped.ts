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
 */
export function createStamped(
  streams: Streams,
  from: number,
  onLine: OnStampedLine,
): (stream: string, text: string) => void {
  const skips = new Map(Object.entries(streams).map(([stream, { at, count }]) => [stream, { at, count }]));
  const known = new Set(skips.keys());
  const cutters = new Map<string, LineCutter>();
  const inside = new Set<string>();
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
    const old = endsLine && isOld(stream, stamp);
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
