import { createHash } from 'node:crypto';
import type { FilePosition } from '../../../model/log.ts';
import type { ReadAt } from './open-log.ts';

/** The first bytes of a content, as many as a stored position has the hash of. */
export const HEAD_BYTES = 1024;

/** The first bytes of a content that are held in memory and compared exactly. */
export const START_BYTES = 8 * 1024;

/** This many bytes before the offset are compared each time reading continues. */
export const LAST_BYTES = 256;

/** A mark is the checksum of a block of at most this many bytes. */
const BLOCK_BYTES = 128;

/** Where marked blocks end: the first 8 KiB are covered, then one block at each offset a quarter further. */
const OFFSETS: readonly number[] = (() => {
  const offsets: number[] = [];
  for (let at = 8; at <= 64; at += 8) offsets.push(at);
  for (let at = 80; at <= 256; at += 16) offsets.push(at);
  for (let at = 384; at <= START_BYTES; at += BLOCK_BYTES) offsets.push(at);
  for (let at = 10_240; at < Number.MAX_SAFE_INTEGER / 2; at = Math.floor(at * 1.25)) offsets.push(at);
  return offsets;
})();

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
  const start = await readAt(0, Math.min(size, START_BYTES));
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
async function hasMarks(readAt: ReadAt, size: number, marks: Marks): Promise<boolean> {
  let index = 0;
  for await (const block of readBlocks(readAt, size)) {
    const mark = marks.slice(2 * index, 2 * index + 2);
    if (mark === '') break;
    if (mark !== '..' && mark !== toMark(block)) return false;
    index++;
  }
  return index > 0;
}

/** The hash of a content's head. */
export const hashHead = (head: Buffer): string => createHash('sha256').update(head).digest('hex');

/** The hash of the last bytes before the offset. */
export const hashLast = (last: Buffer): string => hashHead(last).slice(0, 16);

/** How much of a content a file holds: at least all that was read, only a part, or another content. */
export type Relation = 'all' | 'part' | 'none';

/** Identifies a content. */
export interface Fingerprint {
  /** Bytes read so far. */
  offset: number;
  /** The first bytes, as far as read. Absent until this process has read from it. */
  start?: Buffer;
  /** The last bytes before the offset. */
  last: Buffer;
  marks: Marks;
  /** The stored fingerprint; absent for a new content. */
  readonly saved?: FilePosition;
}

/** Can a file with this head hold the content? A cheap test that may say yes too often. */
export function matchesHead({ start, saved }: Fingerprint, head: Buffer): boolean {
  if (start !== undefined) {
    const bytes = Math.min(start.length, head.length);
    return bytes > 0 && start.subarray(0, bytes).equals(head.subarray(0, bytes));
  }
  if (saved === undefined || saved.headBytes === 0) return false;
  return head.length < saved.headBytes || hashHead(head.subarray(0, saved.headBytes)) === saved.head;
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

/** Compares a file of this size with a stored fingerprint. */
async function compareSaved({ head, headBytes, marks, last }: FilePosition, readAt: ReadAt, size: number) {
  if (size < last.at) return (await hasMarks(readAt, size, marks)) ? 'part' : 'none';
  if (headBytes === 0 || hashHead(await readAt(0, headBytes)) !== head) return 'none';
  return hashLast(await readAt(last.at - last.bytes, last.bytes)) === last.hash ? 'all' : 'none';
}

/** Compares a file of this size with a content. Of a part, the marks do not cover the end. */
export async function compareContent(print: Fingerprint, readAt: ReadAt, size: number): Promise<Relation> {
  const { offset, start, last, marks, saved } = print;
  if (offset === 0) return 'all';
  if (start === undefined) return saved === undefined ? 'none' : compareSaved(saved, readAt, size);
  const bytes = Math.min(start.length, size);
  if (!(await readAt(0, bytes)).equals(start.subarray(0, bytes))) return 'none';
  if (size >= offset) return (await readAt(offset - last.length, last.length)).equals(last) ? 'all' : 'none';
  return size <= start.length || (await hasMarks(readAt, size, marks)) ? 'part' : 'none';
}
