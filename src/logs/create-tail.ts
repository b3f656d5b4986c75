import type { FileHandle } from 'node:fs/promises';
import { copyUnpooled } from '../model/copy-unpooled.ts';
import type { FilePosition } from '../model/log.ts';
import { addMarks, hashLast, hasMarks, LAST_BYTES, type Marks, type ReadAt, readMarks } from './content-marks.ts';
import { createLineCutter, type OnLine } from './create-line-cutter.ts';
import { createOpenFiles, type OpenFiles } from './create-open-files.ts';
import { createReadBuffers } from './create-read-buffers.ts';
import { HEAD_BYTES, hashHead, openFound, readerOf, readHead } from './file-head.ts';

const CHUNK_BYTES = 256 * 1024;

/** So much of its beginning is held in memory, and compared exactly. */
const START_BYTES = 8 * 1024;

/** Files are read by turns, and hundreds may be followed, so that they share a few buffers; Node.js reads four at once. */
const buffers = createReadBuffers(4, CHUNK_BYTES + LAST_BYTES);

/** What a file has of a content: all that was read of it; a part, as far as one can see; or it holds another content. */
export type Relation = 'all' | 'part' | 'none';

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
  /** Where a copy is read from to go on with it: some bytes before the offset, by which it is known. */
  takesFrom(): number;
  /** Takes what a copy of the content holds from there on; tells nothing when it is none. */
  take(rest: AsyncIterable<Buffer>, onLine: OnLine, goOn?: () => boolean): Promise<void>;
  /** May a file that begins so hold this content, as far as that tells? */
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
  let handle: FileHandle | undefined;
  let offset = begin;
  /** The beginning of the content, as far as it has been read; absent before the file has been opened. */
  let start: Buffer | undefined;
  let last: Buffer = Buffer.alloc(0);
  let marks: Marks = known?.marks ?? '';
  let hash = { bytes: 0, head: '' };

  const isKnown = (head: Buffer): boolean =>
    !known?.headBytes || (head.length >= known.headBytes && hashHead(head.subarray(0, known.headBytes)) === known.head);

  /** Is this still the content that was read so far, now that it begins so and has these bytes around the offset? */
  const isSame = (head: Buffer, seen: Buffer, around: Buffer): boolean =>
    around.subarray(0, last.length).equals(last) &&
    head.length === Math.min(START_BYTES, offset + around.length - last.length) &&
    head.subarray(0, seen.length).equals(seen) &&
    (offset >= START_BYTES ||
      head.subarray(offset).equals(around.subarray(last.length).subarray(0, head.length - offset)));

  const beginsLike = (head: Buffer): boolean => {
    if (start === undefined) {
      if (known === undefined || known.headBytes === 0) return false;
      return head.length < known.headBytes ? marks !== '' : isKnown(head);
    }
    const bytes = Math.min(start.length, head.length);
    return bytes > 0 && start.subarray(0, bytes).equals(head.subarray(0, bytes));
  };
  /** Of a content of which only the fingerprint is there. */
  const compareKnown = async (readAt: ReadAt, size: number): Promise<Relation> => {
    if (begin === 0) return 'all';
    const { head = '', headBytes = 0, last: end } = known ?? {};
    const seen = end?.at ?? begin;
    if (size < seen) return marks !== '' && (await hasMarks(readAt, size, marks)) ? 'part' : 'none';
    if (headBytes === 0 || hashHead(await readAt(0, headBytes)) !== head) return 'none';
    return end === undefined || hashLast(await readAt(end.at - end.bytes, end.bytes)) === end.hash ? 'all' : 'none';
  };
  /** While the content is there itself, the end of a part is compared with that, which marks do not cover. */
  const hasSameEnd = async (readAt: ReadAt, size: number): Promise<boolean> => {
    const own = handle ?? (await openFound(tail.path, inode).catch(() => undefined));
    if (own === undefined) return true;
    try {
      const isThere =
        start === undefined
          ? (await compareKnown(readerOf(own), (await own.stat()).size)) === 'all'
          : (await readHead(own, start.length)).equals(start);
      const from = Math.max(size - LAST_BYTES, 0);
      const end = await readerOf(own)(from, size - from);
      return !isThere || end.length < size - from || end.equals(await readAt(from, size - from));
    } finally {
      if (own !== handle) await own.close();
    }
  };
  const compare = async (readAt: ReadAt, size: number): Promise<Relation> => {
    if (start === undefined) {
      const relation = await compareKnown(readAt, size);
      return relation !== 'part' || (await hasSameEnd(readAt, size)) ? relation : 'none';
    }
    if (offset === 0) return 'all';
    const bytes = Math.min(start.length, size);
    if (!(await readAt(0, bytes)).equals(start.subarray(0, bytes))) return 'none';
    if (size <= start.length && size < offset) return 'part';
    if (size < offset)
      return (await hasMarks(readAt, size, marks)) && (await hasSameEnd(readAt, size)) ? 'part' : 'none';
    return (await readAt(offset - last.length, last.length)).equals(last) ? 'all' : 'none';
  };

  const open = async (): Promise<FileHandle | undefined> => {
    handle ??= await openFound(tail.path, inode);
    if (start !== undefined) return handle;
    const readAt = readerOf(handle);
    if (known !== undefined && (await compareKnown(readAt, (await handle.stat()).size)) !== 'all') return undefined;
    const head = await readHead(handle, Math.min(START_BYTES, offset));
    if (head.length < Math.min(START_BYTES, offset)) return undefined;
    last = await readAt(Math.max(offset - LAST_BYTES, 0), Math.min(LAST_BYTES, offset));
    marks = await readMarks(readAt, offset);
    start = head;
    return handle;
  };
  const drain = async (onLine: OnLine, until: number, goOn: () => boolean): Promise<boolean> => {
    const opened = await open();
    if (opened === undefined) return false;
    return buffers.use(async (buffer) => {
      do {
        if (start === undefined) return false;
        const wanted = last.length + Math.min(CHUNK_BYTES, until - offset);
        const { bytesRead } = await opened.read(buffer, 0, wanted, offset - last.length);
        const around = buffer.subarray(0, bytesRead);
        const chunk = around.subarray(last.length);
        // Looked at after the chunk was read: had the file been truncated before, its beginning would be another.
        const head = await readHead(opened, Math.min(START_BYTES, offset + chunk.length));
        if (bytesRead < last.length || !isSame(head, start, around)) return false;
        if (chunk.length === 0) return (await opened.stat()).size >= offset;
        if (start.length < START_BYTES) start = head;
        marks = addMarks(marks, around, offset - last.length);
        offset += chunk.length;
        last = copyUnpooled(around.subarray(-LAST_BYTES));
        cutter.push(chunk.toString('latin1'), onLine);
      } while (goOn());
      return true;
    });
  };

  const tail: Tail = {
    path,
    inode,
    offset: () => offset,
    drain: (onLine, until = Number.POSITIVE_INFINITY, goOn = () => true) =>
      files.use(() => drain(onLine, until, goOn), tail),
    takesFrom: () => offset - last.length,
    take: async (rest, onLine, goOn = () => true) => {
      let overlap = last;
      for await (const bytes of rest) {
        const seen = overlap.subarray(0, bytes.length);
        if (!bytes.subarray(0, seen.length).equals(seen)) return;
        overlap = overlap.subarray(seen.length);
        const chunk = bytes.subarray(seen.length);
        if (chunk.length === 0) continue;
        marks = addMarks(marks, Buffer.concat([last, chunk]), offset - last.length);
        offset += chunk.length;
        last = copyUnpooled(Buffer.concat([last, chunk]).subarray(-LAST_BYTES));
        cutter.push(chunk.toString('latin1'), onLine);
        if (!goOn()) return;
      }
    },
    beginsLike,
    compare,
    flush: cutter.flush,
    position: () => {
      if (start === undefined) return { head: '', headBytes: 0, ...known, path: tail.path, inode, offset };
      const bytes = Math.min(start.length, HEAD_BYTES);
      if (hash.bytes !== bytes) hash = { bytes, head: hashHead(start.subarray(0, bytes)) };
      const { bytes: headBytes, head } = hash;
      const end = { at: offset, bytes: last.length, hash: hashLast(last) };
      return { path: tail.path, inode, offset: offset - cutter.pendingBytes(), head, headBytes, marks, last: end };
    },
    isSure: () => start !== undefined || known === undefined || known.last !== undefined,
    isOpen: () => handle !== undefined,
    close: async () => {
      const opened = handle;
      handle = undefined;
      await opened?.close();
    },
  };
  return tail;
}
