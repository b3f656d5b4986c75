import { createLineCutter } from '../../lib/bytes.ts';

/** A message of a container's log: a line, or a part of one that Docker split at 16 KiB. */
type OnFrame = (stream: number, bytes: Buffer, start: number, end: number) => void;

/** The header of a frame: the stream, three zeros, and the length in four bytes, big-endian. */
export const FRAME_HEADER_BYTES = 8;
const MAX_FRAME_BYTES = 1024 * 1024;

/**
 * Parses Docker's stream format (Docker Engine API, "Attach to a container", stream format): one byte for the stream,
 * three zeros, four bytes of length. Throws when the bytes are no such stream.
 */
function createFrameReader(onFrame: OnFrame): (chunk: Buffer) => void {
  let rest: Buffer | undefined;
  return (chunk) => {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (bytes.length - at >= FRAME_HEADER_BYTES) {
      const size = bytes.readUInt32BE(at + 4);
      if ((bytes[at] ?? 9) > 3 || size > MAX_FRAME_BYTES) throw new Error('not a container log');
      const end = at + FRAME_HEADER_BYTES + size;
      if (end > bytes.length) break;
      onFrame(bytes[at] as number, bytes, at + FRAME_HEADER_BYTES, end);
      at = end;
    }
    rest = at < bytes.length ? bytes.subarray(at) : undefined;
  };
}

/** Receives a message of a stream: `1` is stdout, `2` stderr. */
type OnMessage = (stream: string, text: string) => void;

/** Reads the frames of stdout and stderr. */
export function createMessageReader(take: OnMessage): (chunk: Buffer) => void {
  return createFrameReader((stream, bytes, start, end) => take(String(stream), bytes.toString('latin1', start, end)));
}

/** Reads the bare stream of a terminal. */
export function createTerminalReader(take: OnMessage): (chunk: Buffer) => void {
  const cutter = createLineCutter();
  return (chunk) =>
    cutter.push(chunk.toString('latin1'), (text, start, end) => take('1', `${text.slice(start, end)}\n`));
}
