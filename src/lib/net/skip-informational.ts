import type { Socket } from 'node:net';

/** A head must end within this many bytes. */
const MAX_HEAD_BYTES = 16 * 1024;
const START = /^HTTP\/1\.[01] 1(?!01)\d\d/;
const START_LENGTH = 'HTTP/1.1 103'.length;
/** Where the first digit of the status is; informational answers have a 1 there. */
const DIGIT = 'HTTP/1.1 '.length;
const ONE = 0x31;

/** The bytes after leading informational answers; undefined while the last of these is incomplete. */
function withoutInformational(bytes: Buffer): Buffer | undefined {
  let rest = bytes;
  while (rest.length > 0) {
    const start = rest.toString('latin1', 0, START_LENGTH);
    if (start.length < START_LENGTH && 'HTTP/1.'.startsWith(start.slice(0, 7))) return undefined;
    if (!START.test(start)) return rest;
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    rest = rest.subarray(end + 4);
  }
  return rest;
}

/**
 * Removes `100 Continue` and other informational answers before an answer. A client must ignore them (RFC 9110,
 * 15.2), but undici ends the connection at the first `100`. An answer starts with the first bytes read after a write.
 */
export function skipInformational<T extends Socket>(socket: T): T {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  let isBefore = false;
  let held: Buffer | undefined;
  socket.write = ((chunk: Uint8Array, encoding?: BufferEncoding, done?: (error?: Error | null) => void) => {
    isBefore = true;
    return write(chunk, encoding, done);
  }) as typeof socket.write;
  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (!isBefore || chunk === null) return chunk;
      // Almost every answer is of this kind, so nothing more is done for it.
      if (held === undefined && chunk.length > DIGIT && chunk[DIGIT] !== ONE) {
        isBefore = false;
        return chunk;
      }
      const bytes = held === undefined ? chunk : Buffer.concat([held, chunk]);
      const rest = withoutInformational(bytes);
      held = undefined;
      if (rest === undefined && bytes.length <= MAX_HEAD_BYTES) held = bytes;
      else if (rest === undefined || rest.length > 0) {
        isBefore = false;
        return rest ?? bytes;
      }
    }
  };
  return socket;
}
