import type { FileHandle } from 'node:fs/promises';
import { copyUnpooled, createLineCutter, type OnLine } from '../../../lib/bytes.ts';
import type { FilePosition } from '../../../model/log.ts';
import {
  addMarks,
  compareContent,
  compareSaved,
  type Fingerprint,
  HEAD_BYTES,
  hashHead,
  hashLast,
  isContinued,
  LAST_BYTES,
  matchesHead,
  openFound,
  type ReadAt,
  type Relation,
  readerOf,
  readHead,
  readMarks,
  START_BYTES,
} from './content.ts';
import { createOpenFiles, createReadBuffers, type OpenFiles } from './open-files.ts';

const CHUNK_BYTES = 256 * 1024;

/** Hundreds of files are read in turn and share a few buffers. Node.js reads four files at once. */
const buffers = createReadBuffers(4, CHUNK_BYTES + LAST_BYTES);

/** The content of one file and how far it was read. */
export interface Tail {
  /** The file's last known path. */
  path: string;
  readonly inode: string;
  /** The offset of reading, including the bytes of an incomplete line. */
  offset(): number;
  /**
   * Reads the file to its end, or to `until`, and emits whole lines. `shouldContinue` is called after each chunk.
   * Resolves to false when the file now holds another content; none of that is emitted.
   */
  drain(onLine: OnLine, until?: number, shouldContinue?: () => boolean): Promise<boolean>;
  /** Where reading of a copy starts: a few bytes before the offset, to verify that it is one. */
  restOffset(): number;
  /** Reads a copy's bytes from `restOffset` on; emits nothing when they are not a copy. */
  readRest(rest: AsyncIterable<Buffer>, onLine: OnLine, shouldContinue?: () => boolean): Promise<void>;
  /** The first bytes, as many as are compared first; empty before the file was opened. */
  head(): Buffer;
  /** Can a file with this head hold the content? A cheap test that may say yes too often. */
  matchesHead(start: Buffer): boolean;
  compare(readAt: ReadAt, size: number): Promise<Relation>;
  /** Emits the incomplete line, when no more can come. */
  flush(onLine: OnLine): void;
  position(): FilePosition;
  /** Is it identified by more than its head? False for a stored position without more. */
  isSure(): boolean;
  isOpen(): boolean;
  close(): Promise<void>;
}

/**
 * Tails the content of a file from an offset; `known` is the stored fingerprint. `drain` opens the file, and rejects
 * when it cannot be opened or has been replaced.
 */
export function createTail(
  path: string,
  inode: string,
  from: number,
  known?: Pick<FilePosition, 'head' | 'headBytes' | 'marks' | 'last'>,
  files: OpenFiles = createOpenFiles(),
): Tail {
  const cutter = createLineCutter();
  const fingerprint: Fingerprint = {
    offset: from,
    last: Buffer.alloc(0),
    marks: known?.marks ?? '',
    ...(known && { saved: known }),
  };
  let handle: FileHandle | undefined;
  let hash = { bytes: 0, head: '' };

  const toLast = () => ({ at: fingerprint.offset, bytes: fingerprint.last.length, hash: hashLast(fingerprint.last) });
  const hasSameEnd = async (readAt: ReadAt, size: number): Promise<boolean> => {
    const own = handle ?? (await openFound(tail.path, inode).catch(() => undefined));
    if (own === undefined) return true;
    try {
      const isThere =
        fingerprint.start === undefined
          ? (await compareSaved(fingerprint, readerOf(own), (await own.stat()).size)) === 'all'
          : (await readHead(own, fingerprint.start.length)).equals(fingerprint.start);
      const from = Math.max(size - LAST_BYTES, 0);
      const end = await readerOf(own)(from, size - from);
      return !isThere || end.length < size - from || end.equals(await readAt(from, size - from));
    } finally {
      if (own !== handle) await own.close();
    }
  };

  const open = async (): Promise<FileHandle | undefined> => {
    handle ??= await openFound(tail.path, inode);
    if (fingerprint.start !== undefined) return handle;
    const readAt = readerOf(handle);
    const { offset } = fingerprint;
    if (known !== undefined && (await compareSaved(fingerprint, readAt, (await handle.stat()).size)) !== 'all')
      return undefined;
    const head = await readHead(handle, Math.min(START_BYTES, offset));
    if (head.length < Math.min(START_BYTES, offset)) return undefined;
    fingerprint.last = await readAt(Math.max(offset - LAST_BYTES, 0), Math.min(LAST_BYTES, offset));
    fingerprint.marks = await readMarks(readAt, offset);
    fingerprint.start = head;
    return handle;
  };
  /** Emits the bytes after the offset; `around` also has the last bytes before it. */
  const accept = (around: Buffer, onLine: OnLine) => {
    const { last, offset } = fingerprint;
    const chunk = around.subarray(last.length);
    fingerprint.marks = addMarks(fingerprint.marks, around, offset - last.length);
    fingerprint.offset = offset + chunk.length;
    fingerprint.last = copyUnpooled(around.subarray(-LAST_BYTES));
    cutter.push(chunk.toString('latin1'), onLine);
  };
  const drain = async (onLine: OnLine, until: number, shouldContinue: () => boolean): Promise<boolean> => {
    const opened = await open();
    if (opened === undefined) return false;
    return buffers.use(async (buffer) => {
      do {
        const { start, last, offset } = fingerprint;
        if (start === undefined) return false;
        const wanted = last.length + Math.min(CHUNK_BYTES, until - offset);
        const { bytesRead } = await opened.read(buffer, 0, wanted, offset - last.length);
        const around = buffer.subarray(0, bytesRead);
        // Read after the chunk: a truncation before that would show in the head.
        const head = await readHead(opened, Math.min(START_BYTES, offset + Math.max(bytesRead - last.length, 0)));
        if (bytesRead < last.length || !isContinued(fingerprint, head, around)) return false;
        if (bytesRead === last.length) return (await opened.stat()).size >= offset;
        if (start.length < START_BYTES) fingerprint.start = head;
        accept(around, onLine);
      } while (shouldContinue());
      return true;
    });
  };

  const tail: Tail = {
    path,
    inode,
    offset: () => fingerprint.offset,
    drain: (onLine, until = Number.POSITIVE_INFINITY, shouldContinue = () => true) =>
      files.use(() => drain(onLine, until, shouldContinue), tail),
    restOffset: () => fingerprint.offset - fingerprint.last.length,
    readRest: async (rest, onLine, shouldContinue = () => true) => {
      let overlap = fingerprint.last;
      for await (const bytes of rest) {
        const seen = overlap.subarray(0, bytes.length);
        if (!bytes.subarray(0, seen.length).equals(seen)) return;
        overlap = overlap.subarray(seen.length);
        const chunk = bytes.subarray(seen.length);
        if (chunk.length === 0) continue;
        accept(Buffer.concat([fingerprint.last, chunk]), onLine);
        if (fingerprint.start === undefined && known !== undefined) fingerprint.saved = { ...known, last: toLast() };
        if (!shouldContinue()) return;
      }
    },
    head: () => (fingerprint.start ?? Buffer.alloc(0)).subarray(0, HEAD_BYTES),
    matchesHead: (head) => matchesHead(fingerprint, head),
    compare: (readAt, size) => compareContent(fingerprint, readAt, size, () => hasSameEnd(readAt, size)),
    flush: cutter.flush,
    position: () => {
      const { start, marks, saved } = fingerprint;
      const offset = fingerprint.offset - cutter.pendingBytes();
      if (start === undefined)
        return { head: '', headBytes: 0, ...saved, ...(saved && { marks }), path: tail.path, inode, offset };
      const bytes = Math.min(start.length, HEAD_BYTES);
      if (hash.bytes !== bytes) hash = { bytes, head: hashHead(start.subarray(0, bytes)) };
      const { bytes: headBytes, head } = hash;
      return { path: tail.path, inode, offset, head, headBytes, marks, last: toLast() };
    },
    isSure: () =>
      fingerprint.start !== undefined || fingerprint.saved === undefined || fingerprint.saved.last !== undefined,
    isOpen: () => handle !== undefined,
    close: async () => {
      const opened = handle;
      handle = undefined;
      await opened?.close();
    },
  };
  return tail;
}
