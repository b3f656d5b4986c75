import { createHash } from 'node:crypto';

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
