import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ReadAt } from './content.ts';

/** Is it packed in the one supported format? */
export const isGzip = (path: string): boolean => path.endsWith('.gz');

/** The bytes of a file from an offset on, unpacked if it is gzip. Rejects when it cannot be read. */
export async function* readCopy(path: string, offset: number): AsyncGenerator<Buffer> {
  if (!isGzip(path)) {
    yield* createReadStream(path, { start: offset });
    return;
  }
  let skip = offset;
  const unpacked = pipeline(createReadStream(path), createGunzip(), () => {});
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    if (skip < chunk.length) yield chunk.subarray(skip);
    skip = Math.max(skip - chunk.length, 0);
  }
}

/** The unpacked size that gzip writes at the end, modulo 4 GiB. */
export const toPackedSize = (lastFour: Buffer): number => (lastFour.length < 4 ? 0 : lastFour.readUInt32LE());

/** Reads a file or a packed file at any offset; empty when it cannot be read. */
export const readerOfCopy =
  (path: string): ReadAt =>
  async (at, bytes) => {
    const chunks: Buffer[] = [];
    let read = 0;
    try {
      for await (const chunk of readCopy(path, at)) {
        chunks.push(chunk);
        read += chunk.length;
        if (read >= bytes) break;
      }
    } catch {
      return Buffer.alloc(0);
    }
    return Buffer.concat(chunks).subarray(0, bytes);
  };
