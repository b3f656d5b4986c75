import type { FileHandle } from 'node:fs/promises';
import type { FilePosition } from '../model/log.ts';
import { createLineCutter, type OnLine } from './create-line-cutter.ts';
import { HEAD_BYTES, hashHead, openFound, readHead } from './file-head.ts';

const CHUNK_BYTES = 256 * 1024;

/** Files are read by turns, and hundreds may be followed, so that they share a few buffers; Node.js reads four at once. */
const spare: Buffer[] = [];
const giveBack = (buffer: Buffer) => void (spare.length < 4 && spare.push(buffer));

/** The content of one file, and how far it has been read. */
export interface Tail {
  /** Where the file was seen last. */
  path: string;
  readonly inode: string;
  /** Where reading is, the bytes of a line that has not ended included. */
  offset(): number;
  /**
   * Reads the file up to its end, or to an offset before it, and tells each whole line; `goOn` is asked after each chunk.
   * Resolves to false when the file holds another content now; what is read after that is told to nobody.
   */
  drain(onLine: OnLine, until?: number, goOn?: () => boolean): Promise<boolean>;
  /** Takes what a copy of the content holds beyond the offset. */
  take(rest: AsyncIterable<Buffer>, onLine: OnLine, goOn?: () => boolean): Promise<void>;
  /** May a file that begins so hold this content, as far as one can see? */
  beginsLike(start: Buffer): boolean;
  /** The line that did not end, when no more can come. */
  flush(onLine: OnLine): void;
  position(): FilePosition;
  close(): Promise<void>;
}

/**
 * The content of the file at a path, from an offset on; `known` is the fingerprint that was kept of it. The file is opened
 * by the first `drain`, which rejects when it cannot be opened or is another file by now.
 */
export function createTail(
  path: string,
  inode: string,
  begin: number,
  known?: Pick<FilePosition, 'head' | 'headBytes'>,
): Tail {
  const cutter = createLineCutter();
  let handle: FileHandle | undefined;
  let offset = begin;
  /** The beginning of the content, as far as it has been read; absent before the file has been opened. */
  let start: Buffer | undefined;
  let hash = { bytes: 0, head: '' };

  const isKnown = (head: Buffer): boolean =>
    !known?.headBytes || (head.length >= known.headBytes && hashHead(head.subarray(0, known.headBytes)) === known.head);

  /** Is this still the content that was read so far, now that it begins so and has this chunk at the offset? */
  const isSame = (head: Buffer, seen: Buffer, chunk: Buffer): boolean =>
    head.length === Math.min(HEAD_BYTES, offset + chunk.length) &&
    head.subarray(0, seen.length).equals(seen) &&
    (offset >= HEAD_BYTES || head.subarray(offset).equals(chunk.subarray(0, head.length - offset)));

  const tail: Tail = {
    path,
    inode,
    offset: () => offset,
    drain: async (onLine, until = Number.POSITIVE_INFINITY, goOn = () => true) => {
      handle ??= await openFound(tail.path, inode);
      if (start === undefined) {
        const head = await readHead(handle, Math.min(HEAD_BYTES, Math.max(offset, known?.headBytes ?? 0)));
        if (!isKnown(head)) return false;
        start = head.subarray(0, offset);
      }
      const buffer = spare.pop() ?? Buffer.allocUnsafe(CHUNK_BYTES);
      try {
        do {
          const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK_BYTES, until - offset), offset);
          const chunk = buffer.subarray(0, bytesRead);
          // Looked at after the chunk was read: had the file been truncated before, its beginning would be another.
          const head = await readHead(handle, Math.min(HEAD_BYTES, offset + bytesRead));
          if (!isSame(head, start, chunk)) return false;
          if (bytesRead === 0) return (await handle.stat()).size >= offset;
          start = head;
          offset += bytesRead;
          cutter.push(chunk.toString('latin1'), onLine);
        } while (goOn());
        return true;
      } finally {
        giveBack(buffer);
      }
    },
    take: async (rest, onLine, goOn = () => true) => {
      for await (const chunk of rest) {
        offset += chunk.length;
        cutter.push(chunk.toString('latin1'), onLine);
        if (!goOn()) return;
      }
    },
    beginsLike: (head) => {
      if (start === undefined) return known !== undefined && known.headBytes > 0 && isKnown(head);
      const bytes = Math.min(start.length, head.length);
      return bytes > 0 && start.subarray(0, bytes).equals(head.subarray(0, bytes));
    },
    flush: cutter.flush,
    position: () => {
      if (start === undefined)
        return { path: tail.path, inode, offset, head: known?.head ?? '', headBytes: known?.headBytes ?? 0 };
      if (hash.bytes !== start.length) hash = { bytes: start.length, head: hashHead(start) };
      const { bytes: headBytes, head } = hash;
      return { path: tail.path, inode, offset: offset - cutter.pendingBytes(), head, headBytes };
    },
    close: async () => {
      const opened = handle;
      handle = undefined;
      await opened?.close();
    },
  };
  return tail;
}
