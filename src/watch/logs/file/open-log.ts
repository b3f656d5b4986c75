import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type FoundFile, inodeOf } from './find-log-files.ts';

/** Reads this many bytes at an offset, fewer at the end; into the buffer, if one is given. */
export type ReadAt = (at: number, bytes: number, into?: Buffer) => Promise<Buffer>;

/** Reads an open file. */
export const readerOf =
  (handle: FileHandle): ReadAt =>
  async (at, bytes, into = Buffer.alloc(bytes)) =>
    into.subarray(0, (await handle.read(into, 0, bytes, at)).bytesRead);

/** Opens the file at a path. Rejects when its inode differs, because it was renamed meanwhile; '' accepts any. */
export async function openFound({ path, inode }: Pick<FoundFile, 'path' | 'inode'>): Promise<FileHandle> {
  const handle = await open(path);
  if (inode === '' || inodeOf(await handle.stat()) === inode) return handle;
  await handle.close();
  throw new Error('the file was renamed meanwhile');
}

/** Opens a found file while `work` runs; `size` is its size at that time. Rejects as `openFound` does. */
export async function withOpenFile<T>(
  file: Pick<FoundFile, 'path' | 'inode'>,
  work: (readAt: ReadAt, size: number) => Promise<T>,
): Promise<T> {
  const handle = await openFound(file);
  try {
    return await work(readerOf(handle), (await handle.stat()).size);
  } finally {
    await handle.close();
  }
}

/** Is it packed in the one supported format? */
export const isGzip = (path: string): boolean => path.endsWith('.gz');

/** What is read again and again of a packed file. */
const KEPT_BYTES = 8 * 1024;

/**
 * Unpacks a file by gzip while `work` runs; `size` is that of what is packed, as gzip writes it: modulo 4 GiB. Reading forward
 * goes on where it was, reading back starts anew. Damaged files end early.
 */
export async function withUnpacked<T>(path: string, work: (readAt: ReadAt, size: number) => Promise<T>): Promise<T> {
  const size = await withOpenFile({ path, inode: '' }, async (readAt, bytes) => {
    const end = await readAt(Math.max(bytes - 4, 0), 4);
    return end.length < 4 ? 0 : end.readUInt32LE();
  });
  const begin = () => pipeline(createReadStream(path), createGunzip(), () => {});
  let stream = begin();
  let chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let kept = Buffer.alloc(0);
  let window = kept;
  let from = 0;
  const readAt: ReadAt = async (at, bytes) => {
    if (at + bytes <= kept.length) return kept.subarray(at, at + bytes);
    if (at < from) {
      stream.destroy();
      stream = begin();
      chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
      window = Buffer.alloc(0);
      from = 0;
    }
    while (from + window.length < at + bytes) {
      const next = await chunks.next().catch(() => undefined);
      if (next === undefined || next.done) break;
      const passed = Math.min(Math.max(at - from, 0), window.length);
      from += passed;
      window = Buffer.concat([window.subarray(passed), next.value]);
      if (from === 0 && kept.length < KEPT_BYTES) kept = window.subarray(0, KEPT_BYTES);
    }
    return window.subarray(Math.max(at - from, 0), Math.max(at - from + bytes, 0));
  };
  try {
    return await work(readAt, size);
  } finally {
    stream.destroy();
  }
}
