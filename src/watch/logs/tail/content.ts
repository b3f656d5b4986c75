import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { FilePosition } from '../../../model/log.ts';
import { type FoundFile, inodeOf } from './find-log-files.ts';

/** The first bytes of a content, by which it is recognised. */
export const HEAD_BYTES = 1024;

/** Hash of a content's head. */
export const hashHead = (head: Buffer): string => createHash('sha256').update(head).digest('hex');

/** The first bytes of an open file, fewer when it is shorter. */
export async function readHead(handle: FileHandle, bytes = HEAD_BYTES): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  const { bytesRead } = await handle.read(buffer, 0, bytes, 0);
  return buffer.subarray(0, bytesRead);
}

/** Opens the file at a path. Rejects when its inode differs, because it was renamed meanwhile; '' accepts any. */
export async function openFound(path: string, inode: string): Promise<FileHandle> {
  const handle = await open(path);
  if (inode === '' || inodeOf(await handle.stat()) === inode) return handle;
  await handle.close();
  throw new Error('the file was renamed meanwhile');
}

/** Reads an open file at any offset. */
export const readerOf =
  (handle: FileHandle): ReadAt =>
  async (at, bytes) => {
    const buffer = Buffer.alloc(bytes);
    const { bytesRead } = await handle.read(buffer, 0, bytes, at);
    return buffer.subarray(0, bytesRead);
  };

/** Opens a found file while `work` runs; `size` is its size at that time. Rejects as `openFound` does. */
export async function withOpenFile<T>(
  { path, inode }: Pick<FoundFile, 'path' | 'inode'>,
  work: (readAt: ReadAt, size: number) => Promise<T>,
): Promise<T> {
  const handle = await openFound(path, inode);
  try {
    return await work(readerOf(handle), (await handle.stat()).size);
  } finally {
    await handle.close();
  }
}

/** A mark is the checksum of a block of at most this many bytes. */
const BLOCK_BYTES = 128;

/** This many bytes before the offset are compared each time reading continues. */
export const LAST_BYTES = 256;

/** Where marked blocks end: the first 8 KiB are covered, then one block at each offset a quarter further. */
const OFFSETS: readonly number[] = (() => {
  const offsets: number[] = [];
  for (let at = 8; at <= 64; at += 8) offsets.push(at);
  for (let at = 80; at <= 256; at += 16) offsets.push(at);
  for (let at = 384; at <= 8_192; at += BLOCK_BYTES) offsets.push(at);
  for (let at = 10_240; at < Number.MAX_SAFE_INTEGER / 2; at = Math.floor(at * 1.25)) offsets.push(at);
  return offsets;
})();

/** Reads this many bytes at an offset, fewer at the end. */
export type ReadAt = (at: number, bytes: number) => Promise<Buffer>;

/** Two base-36 digits per mark; `..` for an unknown one. */
export type Marks = string;

const firstOf = (index: number): number =>
  Math.max(index === 0 ? 0 : (OFFSETS[index - 1] as number), (OFFSETS[index] as number) - BLOCK_BYTES);

/** FNV-1a, shortened: two different contents differ in many blocks. */
function toMark(block: Buffer): string {
  let hash = 0x811c9dc5;
  for (const byte of block) hash = Math.imul(hash ^ byte, 0x01000193);
  return ((hash >>> 0) % 1_296).toString(36).padStart(2, '0');
}

/** Extends the marks with `bytes`, which start at `from`. `from` is not after the end of the last marked block. */
export function addMarks(marks: Marks, bytes: Buffer, from: number): Marks {
  let next = marks;
  for (let index = marks.length / 2; (OFFSETS[index] as number) <= from + bytes.length; index++) {
    const first = firstOf(index) - from;
    next += first < 0 ? '..' : toMark(bytes.subarray(first, (OFFSETS[index] as number) - from));
  }
  return next;
}

/** The marked blocks of a content up to a size. */
async function* readBlocks(readAt: ReadAt, size: number): AsyncGenerator<Buffer> {
  const start = await readAt(0, Math.min(size, 8_192));
  for (let index = 0; (OFFSETS[index] as number) <= size; index++) {
    const [from, to] = [firstOf(index), OFFSETS[index] as number];
    yield to <= start.length ? start.subarray(from, to) : await readAt(from, to - from);
  }
}

/** The marks of the first `size` bytes. */
export async function readMarks(readAt: ReadAt, size: number): Promise<Marks> {
  let marks = '';
  for await (const block of readBlocks(readAt, size)) marks += toMark(block);
  return marks;
}

/** Does a content agree with these marks, as far as it goes? False when it is too short for any. */
export async function hasMarks(readAt: ReadAt, size: number, marks: Marks): Promise<boolean> {
  let index = 0;
  for await (const block of readBlocks(readAt, size)) {
    const mark = marks.slice(2 * index, 2 * index + 2);
    if (mark === '') break;
    if (mark !== '..' && mark !== toMark(block)) return false;
    index++;
  }
  return index > 0;
}

/** Hash of the last bytes before the offset. */
export const hashLast = (last: Buffer): string => createHash('sha256').update(last).digest('hex').slice(0, 16);

/** The first bytes of a content that are held in memory and compared exactly. */
export const START_BYTES = 8 * 1024;

/** How much of a content a file holds: at least all that was read, only a part, or another content. */
export type Relation = 'all' | 'part' | 'none';

/** Identifies a content. */
export interface Fingerprint {
  /** Bytes read so far. */
  offset: number;
  /** The first bytes, as far as read. Absent until this process has opened the file. */
  start?: Buffer;
  /** The last bytes before the offset. */
  last: Buffer;
  marks: Marks;
  /** The stored fingerprint; absent for a new content. */
  saved?: Pick<FilePosition, 'head' | 'headBytes' | 'last'>;
}

/** Can a file with this head hold the content? A cheap test that may say yes too often. */
export function matchesHead({ start, saved, marks }: Fingerprint, head: Buffer): boolean {
  if (start !== undefined) {
    const bytes = Math.min(start.length, head.length);
    return bytes > 0 && start.subarray(0, bytes).equals(head.subarray(0, bytes));
  }
  if (saved === undefined || saved.headBytes === 0) return false;
  if (head.length < saved.headBytes) return marks !== '';
  return hashHead(head.subarray(0, saved.headBytes)) === saved.head;
}

/** Is it still the same content, given the file's head and the bytes around the offset? */
export function isContinued({ offset, start = Buffer.alloc(0), last }: Fingerprint, head: Buffer, around: Buffer) {
  const next = around.subarray(last.length);
  return (
    around.subarray(0, last.length).equals(last) &&
    head.length === Math.min(START_BYTES, offset + next.length) &&
    head.subarray(0, start.length).equals(start) &&
    (offset >= START_BYTES || head.subarray(offset).equals(next.subarray(0, head.length - offset)))
  );
}

/** Compares a file of this size with a content known only from the store. */
export async function compareSaved(print: Fingerprint, readAt: ReadAt, size: number): Promise<Relation> {
  if (print.offset === 0) return 'all';
  const { head = '', headBytes = 0, last } = print.saved ?? {};
  if (size < (last?.at ?? print.offset))
    return print.marks !== '' && (await hasMarks(readAt, size, print.marks)) ? 'part' : 'none';
  if (headBytes === 0 || hashHead(await readAt(0, headBytes)) !== head) return 'none';
  return last === undefined || hashLast(await readAt(last.at - last.bytes, last.bytes)) === last.hash ? 'all' : 'none';
}

/**
 * Compares a file of this size with a content. Marks do not cover the end of a part, so `hasSameEnd` compares that with
 * the content itself.
 */
export async function compareContent(
  print: Fingerprint,
  readAt: ReadAt,
  size: number,
  hasSameEnd: () => Promise<boolean>,
): Promise<Relation> {
  const { offset, start, last, marks } = print;
  if (start === undefined) {
    const relation = await compareSaved(print, readAt, size);
    return relation !== 'part' || (await hasSameEnd()) ? relation : 'none';
  }
  if (offset === 0) return 'all';
  const bytes = Math.min(start.length, size);
  if (!(await readAt(0, bytes)).equals(start.subarray(0, bytes))) return 'none';
  if (size >= offset) return (await readAt(offset - last.length, last.length)).equals(last) ? 'all' : 'none';
  if (size <= start.length) return 'part';
  return (await hasMarks(readAt, size, marks)) && (await hasSameEnd()) ? 'part' : 'none';
}
