import type { FilePosition } from '../../../model/log.ts';
import { hashLast, hasMarks, type Marks, type ReadAt } from './content-marks.ts';
import { hashHead } from './file-head.ts';

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
