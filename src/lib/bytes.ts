/** Reads a stream to its end; undefined as soon as it has brought more than `maxBytes`. Rejects when the stream breaks. */
export async function readBounded(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Copies bytes that are kept into memory of their own. Node.js cuts small buffers out of shared slabs of 64 KiB, and a
 * kept buffer keeps its slab.
 */
export function copyUnpooled(bytes: Uint8Array): Buffer<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Longer lines are cut here. The remainder, up to the line break, is discarded. */
export const MAX_LINE_BYTES = 64 * 1024;

/**
 * Receives a line: the part of a Latin-1 text from `start` up to `end`, without its line break. Most lines match
 * nothing, so none is copied into a string of its own.
 */
export type OnLine = (text: string, start: number, end: number) => void;

/** Splits a stream of bytes into lines. Holds at most one incomplete line. */
export type LineCutter = ReturnType<typeof createLineCutter>;

/** A copy, because a slice keeps the whole text that it was cut from in memory. */
const copyOf = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');

/** Starts at the beginning of a line. */
export function createLineCutter() {
  let kept: string[] = [];
  let keptBytes = 0;
  let pendingBytes = 0;

  const keep = (text: string) => {
    pendingBytes += text.length;
    const room = MAX_LINE_BYTES - keptBytes;
    if (room <= 0) return;
    kept.push(copyOf(text.slice(0, room)));
    keptBytes += Math.min(text.length, room);
  };
  const flush = (onLine: OnLine) => {
    if (pendingBytes === 0) return;
    const line = kept.join('');
    kept = [];
    keptBytes = 0;
    pendingBytes = 0;
    onLine(line, 0, line.length);
  };

  return {
    /** Adds the next bytes, as Latin-1 text, and emits each line that ends in them. */
    push: (text: string, onLine: OnLine): void => {
      let start = 0;
      let end = text.indexOf('\n');
      if (pendingBytes > 0 && end !== -1) {
        keep(text.slice(0, end));
        flush(onLine);
        start = end + 1;
        end = text.indexOf('\n', start);
      }
      while (end !== -1) {
        onLine(text, start, Math.min(end, start + MAX_LINE_BYTES));
        start = end + 1;
        end = text.indexOf('\n', start);
      }
      if (start < text.length) keep(text.slice(start));
    },
    /** Bytes of the incomplete line, discarded ones included. */
    pendingBytes: (): number => pendingBytes,
    /** Emits the incomplete line, if there is one, and forgets it. */
    flush,
  };
}
