import { createLineCutter, MAX_LINE_BYTES } from '../../../lib/bytes.ts';
import type { Opening, ReadLines, Stamp } from './read-lines.ts';

/** A timestamp of Docker and the space after it. It has nine digits and is in UTC, so timestamps compare as text. */
export const STAMP_BYTES = '2026-11-21T09:00:00.000000000Z '.length;
const SECOND_BYTES = '2026-11-21T09:00:00'.length;
const ZERO = 0x30;

const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d) /;

/**
 * A message with a timestamp as Docker writes it: Podman gives whole seconds, or other digits and the zone of its machine. Undefined
 * without one, as Docker tells errors of its own in the stream.
 */
export function withDockerStamp(text: string): string | undefined {
  if (text[STAMP_BYTES - 2] === 'Z' && text[STAMP_BYTES - 1] === ' ') return text;
  const [stamp, time, digits = '', zone] = STAMP.exec(text) ?? [];
  if (stamp === undefined) return undefined;
  const second = new Date(`${time}${zone}`).toISOString().slice(0, SECOND_BYTES);
  return `${second}.${digits.padEnd(9, '0')}Z ${text.slice(stamp.length)}`;
}

/** Reads timestamps into one value, for each line. Consecutive ones often share the second, and no text is made of the digits. */
function createStampParser(): (text: string) => Stamp {
  const stamp: Stamp = { text: '', second: 0, nanos: 0, at: 0 };
  let second: string | undefined;
  return (text) => {
    if (second === undefined || !text.startsWith(second)) {
      second = text.slice(0, SECOND_BYTES);
      stamp.second = Date.parse(`${second}Z`);
    }
    stamp.text = text.slice(0, STAMP_BYTES - 1);
    let nanos = 0;
    for (let at = SECOND_BYTES + 1; at < SECOND_BYTES + 10; at++) nanos = nanos * 10 + text.charCodeAt(at) - ZERO;
    stamp.nanos = nanos;
    stamp.at = stamp.second + Math.trunc(nanos / 1e6);
    return stamp;
  };
}

/** Number of lines remembered to recognise repeated ones. */
const MAX_REMEMBERED = 2_048;

/**
 * When it rotates a log, the engine may repeat the last lines in the same stream, in order and with the same
 * timestamps. The returned function decides for each line of a stream whether it is such a duplicate.
 */
function createDuplicateFilter(): (stamp: Stamp, text: string) => boolean {
  const keys: number[] = [];
  let next = 0;
  let last = -1;
  let lastText = '';
  /** Index in `keys` of the last duplicate; absent while there are none. */
  let duplicateAt: number | undefined;
  return ({ second, nanos }, text) => {
    // Unique within three months.
    const key = ((second / 1_000) % 8_000_000) * 1e9 + nanos;
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

/** Receives a line, as `OnLine` does, with Docker's timestamp in Unix milliseconds; `old` when it was read before. */
export type OnStampedLine = (text: string, start: number, end: number, at: number, old: boolean) => void;

/** Splits the stamped messages of an opened log into lines, and tells which of them were read before. */
export function createStampedReader(
  readLines: ReadLines,
  opening: Opening,
  onLine: OnStampedLine,
): (stream: string, text: string) => void {
  const recordLine = readLines.open(opening);
  const readStamp = createStampParser();
  const createStream = () => ({
    cutter: createLineCutter(),
    isDuplicate: createDuplicateFilter(),
    isUnfinished: false,
  });
  const streams = new Map<string, ReturnType<typeof createStream>>();

  return (name, message) => {
    const text = withDockerStamp(message);
    if (text === undefined) return;
    const stream = streams.get(name) ?? createStream();
    streams.set(name, stream);
    const endsLine = text.charCodeAt(text.length - 1) === 10;
    // Each part of a long line has a timestamp; that of the last part counts.
    const stamp = readStamp(text);
    const { at } = stamp;
    if (endsLine && stream.isDuplicate(stamp, text)) {
      stream.cutter.flush(() => {});
      stream.isUnfinished = false;
      return;
    }
    const old = endsLine && recordLine(name, stamp);
    if (endsLine && !stream.isUnfinished) {
      onLine(text, STAMP_BYTES, Math.min(text.length - 1, STAMP_BYTES + MAX_LINE_BYTES), at, old);
      return;
    }
    stream.cutter.push(text.slice(STAMP_BYTES), (whole, start, end) => onLine(whole, start, end, at, old));
    stream.isUnfinished = !endsLine;
  };
}
