import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** A larger file is not an inventory. */
export const MAX_BYTES = 16 * 1024 * 1024;

const CHUNK_BYTES = 256 * 1024;

/** How long a pipe may wait for its writer, and then for its end. */
const OPENED_WITHIN_MS = 2_000;
const WRITTEN_WITHIN_MS = 30_000;

const LOOK_EVERY_MS = 20;

/** An error with a code, like those of the system. */
const failure = (code: string): Error => Object.assign(new Error(code), { code });

/**
 * Reads a whole file, also a pipe such as `<(command)` in a shell. Rejects with an error that has the system's code:
 * EFBIG above `MAX_BYTES`, and ETIMEDOUT if a pipe does not end. A file without an end, such as a device, must not
 * block its reader.
 */
export async function readText(path: string): Promise<string> {
  // Without this flag, opening a pipe blocks a thread until somebody writes; Node.js has four for all files.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const started = performance.now();
    const stat = await file.stat();
    if (stat.size > MAX_BYTES) throw failure('EFBIG');
    const chunks: Buffer[] = [];
    let size = 0;
    for (;;) {
      const buffer = Buffer.allocUnsafe(size === 0 && stat.size > 0 ? Number(stat.size) + 1 : CHUNK_BYTES);
      const got = await file.read(buffer, 0, buffer.length).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EAGAIN') return undefined;
        throw error;
      });
      const isUnopened = got?.bytesRead === 0 && size === 0 && stat.isFIFO();
      const waitedMs = performance.now() - started;
      if (got === undefined || isUnopened) {
        if (waitedMs > (isUnopened ? OPENED_WITHIN_MS : WRITTEN_WITHIN_MS)) throw failure('ETIMEDOUT');
        await sleep(LOOK_EVERY_MS);
        continue;
      }
      if (got.bytesRead === 0) return Buffer.concat(chunks, size).toString('utf8');
      chunks.push(buffer.subarray(0, got.bytesRead));
      size += got.bytesRead;
      if (size > MAX_BYTES) throw failure('EFBIG');
    }
  } finally {
    await file.close();
  }
}
