import { createHash } from 'node:crypto';

/** Marks are made of blocks of so many bytes at most. */
const BLOCK_BYTES = 128;

/** So many bytes before the place of reading are compared each time that reading goes on. */
export const LAST_BYTES = 256;

/** Where marks are made: they cover the first 8 KiB, and then a block at each place a quarter further. */
const OFFSETS: readonly number[] = (() => {
  const offsets: number[] = [];
  for (let at = 8; at <= 64; at += 8) offsets.push(at);
  for (let at = 80; at <= 256; at += 16) offsets.push(at);
  for (let at = 384; at <= 8_192; at += BLOCK_BYTES) offsets.push(at);
  for (let at = 10_240; at < Number.MAX_SAFE_INTEGER / 2; at = Math.floor(at * 1.25)) offsets.push(at);
  return offsets;
})();

/** Reads so many bytes at a place of a content, fewer at its end. */
export type ReadAt = (at: number, bytes: number) => Promise<Buffer>;

/** Two digits of base 36 a mark; '..' of one that is not known. */
export type Marks = string;

const firstOf = (index: number): number =>
  Math.max(index === 0 ? 0 : (OFFSETS[index - 1] as number), (OFFSETS[index] as number) - BLOCK_BYTES);

/** FNV-1a, shortened: many blocks differ when contents do. */
function toMark(block: Buffer): string {
  let hash = 0x811c9dc5;
  for (const byte of block) hash = Math.imul(hash ^ byte, 0x01000193);
  return ((hash >>> 0) % 1_296).toString(36).padStart(2, '0');
}

/** The marks of a content after so many bytes more, of which `bytes` begins at `from`, not after the last mark's block. */
export function addMarks(marks: Marks, bytes: Buffer, from: number): Marks {
  let next = marks;
  for (let index = marks.length / 2; (OFFSETS[index] as number) <= from + bytes.length; index++) {
    const first = firstOf(index) - from;
    next += first < 0 ? '..' : toMark(bytes.subarray(first, (OFFSETS[index] as number) - from));
  }
  return next;
}

/** The blocks that marks are made of, up to a size, read where they are. */
async function* readBlocks(readAt: ReadAt, size: number): AsyncGenerator<Buffer> {
  const start = await readAt(0, Math.min(size, 8_192));
  for (let index = 0; (OFFSETS[index] as number) <= size; index++) {
    const [from, to] = [firstOf(index), OFFSETS[index] as number];
    yield to <= start.length ? start.subarray(from, to) : await readAt(from, to - from);
  }
}

/** The marks of the first `size` bytes of a content that is there. */
export async function readMarks(readAt: ReadAt, size: number): Promise<Marks> {
  let marks = '';
  for await (const block of readBlocks(readAt, size)) marks += toMark(block);
  return marks;
}

/** Has a content these marks, as far as it goes? False, too, when it is too short for any. */
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

/** The fingerprint of the bytes before the place of reading. */
export const hashLast = (last: Buffer): string => createHash('sha256').update(last).digest('hex').slice(0, 16);
