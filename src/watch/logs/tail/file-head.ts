import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { ReadAt } from './content-marks.ts';
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
