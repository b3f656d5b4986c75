import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Larger is no inventory. */
export const MAX_BYTES = 16 * 1024 * 1024;

const CHUNK_BYTES = 256 * 1024;

/** A pipe is given this long to be opened by who writes to it, and then to be written to its end. */
const OPENED_WITHIN_MS = 2_000;
const WRITTEN_WITHIN_MS = 30_000;

const LOOK_EVERY_MS = 20;

/** A failure with a code, as those of the system are. */
const failure = (code: string): Error => Object.assign(new Error(code), { code });

/**
 * Reads a file whole, also one that is a pipe, as `<(command)` of a shell is. Rejects with an error that has the system's
 * code; with EFBIG above `MAX_BYTES`, and with ETIMEDOUT when a pipe brings no end: a file that is never there to its end,
 * as a device is, must not hold whoever waits for it.
 */
export async function readText(path: string): Promise<string> {
  // Without it the system holds the thread until somebody writes to a pipe; Node has four for all files.
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
