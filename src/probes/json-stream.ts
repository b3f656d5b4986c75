/** What a chunk completed: whole JSON objects and lists as bytes, and why no more can be read, if so. */
export interface StreamRead {
  readonly values: readonly Buffer[];
  readonly broken?: 'garbage' | 'too-large';
}

/** Cuts a byte stream into JSON values. */
export interface JsonStream {
  /** Takes the next chunk. After it has been told `broken` the stream cannot go on. */
  push(chunk: Buffer): StreamRead;
  /** A value has begun and not ended. */
  isMidValue(): boolean;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING = new Set(Buffer.from('{['));
const CLOSING = new Set(Buffer.from('}]'));
const BLANK = new Set(Buffer.from(' \t\r\n'));

/**
 * A stream of JSON objects and lists that follow each other with nothing or blanks between them, cut anywhere into
 * chunks: how Go's JSON encoder frames messages on a socket (XDC-Subnet rpc/json.go). A value is cut out by its braces
 * and strings only; whether it is JSON shows when it is parsed.
 */
export function createJsonStream(maxBytes: number): JsonStream {
  let parts: Buffer[] = [];
  let size = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;

  const push = (chunk: Buffer): StreamRead => {
    const values: Buffer[] = [];
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] as number;
      if (depth === 0) {
        if (BLANK.has(byte)) continue;
        if (!OPENING.has(byte)) return { values, broken: 'garbage' };
        start = i;
        depth = 1;
      } else if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (OPENING.has(byte)) depth += 1;
      else if (CLOSING.has(byte)) {
        depth -= 1;
        if (depth > 0) continue;
        if (size + i + 1 - start > maxBytes) return { values, broken: 'too-large' };
        values.push(Buffer.concat([...parts, chunk.subarray(start, i + 1)]));
        parts = [];
        size = 0;
      }
    }
    if (depth > 0) {
      parts.push(chunk.subarray(start));
      size += chunk.length - start;
    }
    return size > maxBytes ? { values, broken: 'too-large' } : { values };
  };
  return { push, isMidValue: () => depth > 0 };
}
