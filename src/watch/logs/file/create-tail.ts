import type { FileHandle } from 'node:fs/promises';
import { copyUnpooled, createLineCutter, type OnLine } from '../../../lib/bytes.ts';
import type { FilePosition } from '../../../model/log.ts';
import {
  addMarks,
  compareContent,
  type Fingerprint,
  HEAD_BYTES,
  hashHead,
  hashLast,
  isContinued,
  LAST_BYTES,
  matchesHead,
  type Relation,
  readMarks,
  START_BYTES,
} from './content.ts';
import type { FoundFile } from './find-log-files.ts';
import { createOpenFiles, createReadBuffers, type OpenFiles } from './open-files.ts';
import { openFound, type ReadAt, readerOf } from './open-log.ts';

const CHUNK_BYTES = 256 * 1024;

/** Hundreds of files are read in turn and share a few buffers. Node.js reads four files at once. */
const buffers = createReadBuffers(4, CHUNK_BYTES + LAST_BYTES);

/** How much is read at once. */
export interface DrainOptions {
  /** Reading ends at this offset; by default at the end of the file. */
  readonly until?: number;
  /** Called after each chunk; false ends reading. */
  readonly shouldContinue?: () => boolean;
}

/** The content of a log file, and how far it was read. */
export interface Tail {
  /** Where the file that holds it, or held it last, was seen last. */
  path: string;
  inode: string;
  /** The offset of reading, including the bytes of an incomplete line. */
  offset(): number;
  /** Reading continues in another file, which is compared before. */
  moveTo(file: Pick<FoundFile, 'path' | 'inode'>): Promise<void>;
  /**
   * Reads its file and emits whole lines. Resolves to false when that now holds another content; none of it is emitted. Rejects
   * when the file cannot be opened or has been replaced.
   */
  drain(onLine: OnLine, options?: DrainOptions): Promise<boolean>;
  /** The same from another file, which stays open elsewhere. */
  drainFrom(readAt: ReadAt, size: number, onLine: OnLine, options?: DrainOptions): Promise<boolean>;
  /** The first bytes, at most 1 KiB; empty before the first read. */
  head(): Buffer;
  /** Can a file with this head hold the content? A cheap test that may say yes too often. */
  matchesHead(head: Buffer): boolean;
  compare(readAt: ReadAt, size: number): Promise<Relation>;
  /** Emits the incomplete line, when no more can come. */
  flush(onLine: OnLine): void;
  position(): FilePosition;
  isOpen(): boolean;
  close(): Promise<void>;
}

/** Tails a file from an offset, or from a known position, whose content it then must hold. Opens nothing yet. */
export function createTail(
  file: Pick<FoundFile, 'path' | 'inode'>,
  from: number | FilePosition,
  files: OpenFiles = createOpenFiles(),
): Tail {
  const known = typeof from === 'number' ? undefined : from;
  const cutter = createLineCutter();
  const print: Fingerprint = {
    offset: typeof from === 'number' ? from : from.offset,
    last: Buffer.alloc(0),
    marks: known?.marks ?? '',
    saved: known,
  };
  let handle: FileHandle | undefined;
  let hash = { bytes: 0, head: hashHead(Buffer.alloc(0)) };

  /** Reads what identifies the content from the first file that holds all of it. */
  const recognise = async (readAt: ReadAt, size: number): Promise<boolean> => {
    if (print.start !== undefined) return true;
    if (known !== undefined && (await compareContent(print, readAt, size)) !== 'all') return false;
    const { offset } = print;
    const start = await readAt(0, Math.min(START_BYTES, offset));
    if (start.length < Math.min(START_BYTES, offset)) return false;
    print.last = copyUnpooled(await readAt(Math.max(offset - LAST_BYTES, 0), Math.min(LAST_BYTES, offset)));
    if (known === undefined) print.marks = await readMarks(readAt, offset);
    print.start = copyUnpooled(start);
    return true;
  };

  const drainFrom: Tail['drainFrom'] = async (readAt, size, onLine, options = {}) => {
    const { until = Number.POSITIVE_INFINITY, shouldContinue = () => true } = options;
    if (!(await recognise(readAt, size))) return false;
    return buffers.use(async (buffer) => {
      do {
        const { start, last, offset } = print;
        const around = await readAt(offset - last.length, last.length + Math.min(CHUNK_BYTES, until - offset), buffer);
        const chunk = around.subarray(last.length);
        // Read after the chunk: a truncation before that would show in the head.
        const head = await readAt(0, Math.min(START_BYTES, offset + chunk.length));
        if (around.length < last.length || !isContinued(print, head, around)) return false;
        if (chunk.length === 0) return true;
        if (start === undefined || start.length < START_BYTES) print.start = copyUnpooled(head);
        print.marks = addMarks(print.marks, around, offset - last.length);
        print.offset += chunk.length;
        print.last = copyUnpooled(around.subarray(-LAST_BYTES));
        cutter.push(chunk.toString('latin1'), onLine);
      } while (shouldContinue());
      return true;
    });
  };

  /** Does a file that seems to be a part end as the content does there, as far as its own file still shows? */
  const endsAlike = async (readAt: ReadAt, size: number): Promise<boolean> => {
    const own = handle ?? (await openFound(tail).catch(() => undefined));
    if (own === undefined) return true;
    try {
      const readOwn = readerOf(own);
      if ((await compareContent(print, readOwn, (await own.stat()).size)) !== 'all') return true;
      const from = Math.max(size - LAST_BYTES, 0);
      return (await readOwn(from, size - from)).equals(await readAt(from, size - from));
    } finally {
      if (own !== handle) await own.close();
    }
  };

  const close = async () => {
    const opened = handle;
    handle = undefined;
    await opened?.close();
  };

  const tail: Tail = {
    path: file.path,
    inode: file.inode,
    offset: () => print.offset,
    moveTo: async (other) => {
      if (other.inode !== tail.inode) await close();
      tail.path = other.path;
      tail.inode = other.inode;
    },
    drain: (onLine, options) =>
      files.use(async () => {
        handle ??= await openFound(tail);
        return drainFrom(readerOf(handle), (await handle.stat()).size, onLine, options);
      }, tail),
    drainFrom,
    head: () => (print.start ?? Buffer.alloc(0)).subarray(0, HEAD_BYTES),
    matchesHead: (head) => matchesHead(print, head),
    compare: async (readAt, size) => {
      const relation = await compareContent(print, readAt, size);
      return relation !== 'part' || (await endsAlike(readAt, size)) ? relation : 'none';
    },
    flush: cutter.flush,
    position: () => {
      const { start = Buffer.alloc(0), offset: at, last, marks } = print;
      const { path, inode } = tail;
      if (print.start === undefined && known !== undefined) return { ...known, path, inode };
      const bytes = Math.min(start.length, HEAD_BYTES);
      if (hash.bytes !== bytes) hash = { bytes, head: hashHead(start.subarray(0, bytes)) };
      return {
        path,
        inode,
        offset: at - cutter.pendingBytes(),
        head: hash.head,
        headBytes: bytes,
        marks,
        last: { at, bytes: last.length, hash: hashLast(last) },
      };
    },
    isOpen: () => handle !== undefined,
    close,
  };
  return tail;
}
