import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { FilePosition } from '../model/log.ts';
import { createLineCutter } from './create-line-cutter.ts';

const CHUNK_BYTES = 256 * 1024;

/** By so much of its beginning a file is known again. */
const HEAD_BYTES = 1024;

/** One file, read as it grows. */
export interface Tail {
  readonly inode: string;
  /** Reads up to the end, or to an offset before it, and tells each whole line. */
  drain(onLine: (line: string) => void, until?: number): Promise<void>;
  /** The line that did not end, when no more can come. */
  flush(onLine: (line: string) => void): void;
  /** Where reading is, the bytes of a line that has not ended included. */
  offset(): number;
  /** The file of this size is not the one that was read so far: it was truncated, or written anew. */
  isOther(size: number): Promise<boolean>;
  position(): Promise<FilePosition>;
  close(): Promise<void>;
}

async function hashHead(handle: FileHandle, bytes: number): Promise<string> {
  const buffer = Buffer.alloc(bytes);
  const { bytesRead } = await handle.read(buffer, 0, bytes, 0);
  return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex');
}

/** Does the file at a path begin as the position says? */
export async function beginsAs(path: string, { head, headBytes }: Pick<FilePosition, 'head' | 'headBytes'>) {
  if (headBytes === 0) return true;
  const handle = await open(path).catch(() => undefined);
  if (handle === undefined) return false;
  try {
    return (await hashHead(handle, headBytes)) === head;
  } finally {
    await handle.close();
  }
}

/** Opens a file at an offset; rejects when it cannot be opened. */
export async function createTail(path: string, inode: string, start: number): Promise<Tail> {
  const handle = await open(path);
  const cutter = createLineCutter();
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let offset = start;
  let head = { hash: '', bytes: 0 };

  /** The beginning is remembered as far as it has been read. */
  const learnHead = async () => {
    const bytes = Math.min(HEAD_BYTES, offset);
    if (bytes > head.bytes) head = { hash: await hashHead(handle, bytes), bytes };
  };

  return {
    inode,
    drain: async (onLine, until = Number.POSITIVE_INFINITY) => {
      for (;;) {
        const wanted = Math.min(CHUNK_BYTES, until - offset);
        const { bytesRead } = await handle.read(buffer, 0, wanted, offset);
        if (bytesRead === 0) break;
        offset += bytesRead;
        cutter.push(buffer.toString('latin1', 0, bytesRead), onLine);
      }
      await learnHead();
    },
    flush: (onLine) => {
      if (cutter.pendingBytes() > 0) onLine(cutter.pending());
      cutter.reset();
    },
    offset: () => offset,
    isOther: async (size) => size < offset || (head.bytes > 0 && (await hashHead(handle, head.bytes)) !== head.hash),
    position: async () => {
      await learnHead();
      return { inode, offset: offset - cutter.pendingBytes(), head: head.hash, headBytes: head.bytes };
    },
    close: () => handle.close(),
  };
}
