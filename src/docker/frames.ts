/** A message of a container's log: a line, or a part of one that Docker split at 16 KiB. */
export type OnFrame = (stream: number, bytes: Buffer, start: number, end: number) => void;

const HEADER_BYTES = 8;
const MAX_FRAME_BYTES = 1024 * 1024;

/**
 * Parses Docker's stream format (Docker Engine API, "Attach to a container", stream format): one byte for the stream,
 * three zeros, four bytes of length. Throws when the bytes are no such stream.
 */
export function createFrameReader(onFrame: OnFrame): (chunk: Buffer) => void {
  let rest: Buffer | undefined;
  return (chunk) => {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (bytes.length - at >= HEADER_BYTES) {
      const size = bytes.readUInt32BE(at + 4);
      if ((bytes[at] ?? 9) > 3 || size > MAX_FRAME_BYTES) throw new Error('this is no log of a container');
      const end = at + HEADER_BYTES + size;
      if (end > bytes.length) break;
      onFrame(bytes[at] as number, bytes, at + HEADER_BYTES, end);
      at = end;
    }
    rest = at < bytes.length ? bytes.subarray(at) : undefined;
  };
}
