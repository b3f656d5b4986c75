import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { type FoundFile, inodeOf } from './find-log-files.ts';

/** By so much of its beginning the content of a file is known again. */
export const HEAD_BYTES = 1024;

/** The fingerprint of the beginning of a content. */
export const hashHead = (head: Buffer): string => createHash('sha256').update(head).digest('hex');

/** The first bytes of an open file, fewer when it is shorter. */
export async function readHead(handle: FileHandle, bytes = HEAD_BYTES): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  const { bytesRead } = await handle.read(buffer, 0, bytes, 0);
  return buffer.subarray(0, bytesRead);
}

/** Opens the file at a path; rejects when it is another than the one found there, which was renamed meanwhile. '' is any. */
export async function openFound(path: string, inode: string): Promise<FileHandle> {
  const handle = await open(path);
  if (inode === '' || inodeOf(await handle.stat()) === inode) return handle;
  await handle.close();
  throw new Error('the file was renamed meanwhile');
}

/** The first bytes of a found file. Rejects as `openFound` does. */
export async function readHeadOf({ path, inode }: FoundFile): Promise<Buffer> {
  const handle = await openFound(path, inode);
  try {
    return await readHead(handle);
  } finally {
    await handle.close();
  }
}
