import type { FileHandle } from 'node:fs/promises';
import { copyUnpooled } from '../../model/copy-unpooled.ts';
import { createLineCutter, type OnLine } from '../../model/create-line-cutter.ts';
import type { FilePosition } from '../../model/log.ts';
import {
  beginsLike,
  compareContent,
  compareSaved,
  type Fingerprint,
  isContinued,
  type Relation,
  START_BYTES,
} from './compare-content.ts';
import { addMarks, hashLast, LAST_BYTES, type ReadAt, readMarks } from './content-marks.ts';
import { createOpenFiles, type OpenFiles } from './create-open-files.ts';
import { createReadBuffers } from './create-read-buffers.ts';
import { HEAD_BYTES, hashHead, openFound, readerOf, readHead } from './file-head.ts';

const CHUNK_BYTES = 256 * 1024;

/** Hundreds of files may be followed, and they are read in turn, so they share a few buffers. Node.js reads four at once. */
const buffers = createReadBuffers(4, CHUNK_BYTES + LAST_BYTES);

/** The content of one file, and how far it has been read. */
export interface Tail {
  /** Where the file was seen last. */
  path: string;
  readonly inode: string;
  /** Where reading is, the bytes of a line that has not ended included. */
  offset(): number;
  /**
   * Reads the file up to its end, or to an offset before it, and passes on whole lines; `goOn` is asked after each chunk.
   * Resolves to false when the file holds another content now; nothing of that is passed on.
   */
  drain(onLine: OnLine, until?: number, goOn?: () => boolean): Promise<boolean>;
  /** Where a copy is read from to go on with it: some bytes before the offset, by which it is known. */
  takesFrom(): number;
  /** Reads what a copy of the content holds from there on; passes on nothing when it is none. */
  take(rest: AsyncIterable<Buffer>, onLine: OnLine, goOn?: () => boolean): Promise<void>;
  /** Its first bytes, as many as are compared first; none before it was opened. */
  head(): Buffer;
  /** May a file that begins so hold this content, as far as that shows? */
  beginsLike(start: Buffer): boolean;
  compare(readAt: ReadAt, size: number): Promise<Relation>;
  /** The line that did not end, when no more can come. */
  flush(onLine: OnLine): void;
  position(): FilePosition;
  /** Is it known by more than its beginning? False of a position that says no more. */
  isSure(): boolean;
  isOpen(): boolean;
  close(): Promise<void>;
}

/**
 * The content of the file at a path, from an offset on; `known` is the fingerprint that was kept of it. The file is opened
 * by `drain`, which rejects when it cannot be opened or is another file by now.
 */
export function createTail(
  path: string,
  inode: string,
  begin: number,
  known?: Pick<FilePosition, 'head' | 'headBytes' | 'marks' | 'last'>,
  files: OpenFiles = createOpenFiles(),
): Tail {
  const cutter = createLineCutter();
  const print: Fingerprint = {
    offset: begin,
    last: Buffer.alloc(0),
    marks: known?.marks ?? '',
    ...(known && { saved: known }),
  };
  let handle: FileHandle | undefined;
  let hash = { bytes: 0, head: '' };

  const toLast = () => ({ at: print.offset, bytes: print.last.length, hash: hashLast(print.last) });
  const hasSameEnd = async (readAt: ReadAt, size: number): Promise<boolean> => {
    const own = handle ?? (await openFound(tail.path, inode).catch(() => undefined));
    if (own === undefined) return true;
    try {
      const isThere =
        print.start === undefined
          ? (await compareSaved(print, readerOf(own), (await own.stat()).size)) === 'all'
          : (await readHead(own, print.start.length)).equals(print.start);
      const from = Math.max(size - LAST_BYTES, 0);
      const end = await readerOf(own)(from, size - from);
      return !isThere || end.length < size - from || end.equals(await readAt(from, size - from));
    } finally {
      if (own !== handle) await own.close();
    }
  };

  const open = async (): Promise<FileHandle | undefined> => {
    handle ??= await openFound(tail.path, inode);
    if (print.start !== undefined) return handle;
    const readAt = readerOf(handle);
    const { offset } = print;
    if (known !== undefined && (await compareSaved(print, readAt, (await handle.stat()).size)) !== 'all')
      return undefined;
    const head = await readHead(handle, Math.min(START_BYTES, offset));
    if (head.length < Math.min(START_BYTES, offset)) return undefined;
    print.last = await readAt(Math.max(offset - LAST_BYTES, 0), Math.min(LAST_BYTES, offset));
    print.marks = await readMarks(readAt, offset);
    print.start = head;
    return handle;
  };
  /** Passes on the bytes after the offset, given with the last bytes before it. */
  const accept = (around: Buffer, onLine: OnLine) => {
    const { last, offset } = print;
    const chunk = around.subarray(last.length);
    print.marks = addMarks(print.marks, around, offset - last.length);
    print.offset = offset + chunk.length;
    print.last = copyUnpooled(around.subarray(-LAST_BYTES));
    cutter.push(chunk.toString('latin1'), onLine);
  };
  const drain = async (onLine: OnLine, until: number, goOn: () => boolean): Promise<boolean> => {
    const opened = await open();
    if (opened === undefined) return false;
    return buffers.use(async (buffer) => {
      do {
        const { start, last, offset } = print;
        if (start === undefined) return false;
        const wanted = last.length + Math.min(CHUNK_BYTES, until - offset);
        const { bytesRead } = await opened.read(buffer, 0, wanted, offset - last.length);
        const around = buffer.subarray(0, bytesRead);
        // Read after the chunk: had the file been truncated before that, its beginning would be another.
        const head = await readHead(opened, Math.min(START_BYTES, offset + Math.max(bytesRead - last.length, 0)));
        if (bytesRead < last.length || !isContinued(print, head, around)) return false;
        if (bytesRead === last.length) return (await opened.stat()).size >= offset;
        if (start.length < START_BYTES) print.start = head;
        accept(around, onLine);
      } while (goOn());
      return true;
    });
  };

  const tail: Tail = {
    path,
    inode,
    offset: () => print.offset,
    drain: (onLine, until = Number.POSITIVE_INFINITY, goOn = () => true) =>
      files.use(() => drain(onLine, until, goOn), tail),
    takesFrom: () => print.offset - print.last.length,
    take: async (rest, onLine, goOn = () => true) => {
      let overlap = print.last;
      for await (const bytes of rest) {
        const seen = overlap.subarray(0, bytes.length);
        if (!bytes.subarray(0, seen.length).equals(seen)) return;
        overlap = overlap.subarray(seen.length);
        const chunk = bytes.subarray(seen.length);
        if (chunk.length === 0) continue;
        accept(Buffer.concat([print.last, chunk]), onLine);
        if (print.start === undefined && known !== undefined) print.saved = { ...known, last: toLast() };
        if (!goOn()) return;
      }
    },
    head: () => (print.start ?? Buffer.alloc(0)).subarray(0, HEAD_BYTES),
    beginsLike: (head) => beginsLike(print, head),
    compare: (readAt, size) => compareContent(print, readAt, size, () => hasSameEnd(readAt, size)),
    flush: cutter.flush,
    position: () => {
      const { start, marks, saved } = print;
      const offset = print.offset - cutter.pendingBytes();
      if (start === undefined)
        return { head: '', headBytes: 0, ...saved, ...(saved && { marks }), path: tail.path, inode, offset };
      const bytes = Math.min(start.length, HEAD_BYTES);
      if (hash.bytes !== bytes) hash = { bytes, head: hashHead(start.subarray(0, bytes)) };
      const { bytes: headBytes, head } = hash;
      return { path: tail.path, inode, offset, head, headBytes, marks, last: toLast() };
    },
    isSure: () => print.start !== undefined || print.saved === undefined || print.saved.last !== undefined,
    isOpen: () => handle !== undefined,
    close: async () => {
      const opened = handle;
      handle = undefined;
      await opened?.close();
    },
  };
  return tail;
}
