import { createSlots } from '../../../lib/promises.ts';

/** Limits how many log files all targets together keep open. */
export interface OpenFiles {
  /**
   * Runs work that holds one descriptor, once one is free. A file passed as `keep` may stay open afterwards. When
   * others need descriptors, the least recently used of those files is closed.
   */
  use<T>(work: () => Promise<T>, keep?: OpenFile): Promise<T>;
}

/** A file that may stay open between two reads. */
export interface OpenFile {
  isOpen(): boolean;
  close(): Promise<void>;
}

/** Default limit. Most systems give a process 1,024 descriptors, some only 256. */
export const MAX_OPEN_FILES = 64;

export function createOpenFiles(max = MAX_OPEN_FILES): OpenFiles {
  const limit = Math.max(max, 1);
  const slots = createSlots(limit);
  /** Open and not in use, least recently used first. */
  const idle = new Set<OpenFile>();
  return {
    use: (work, keep) =>
      slots.use(async () => {
        if (keep !== undefined) idle.delete(keep);
        for (const file of idle) if (!file.isOpen()) idle.delete(file);
        for (const file of idle) {
          if (idle.size + slots.busy() <= limit) break;
          idle.delete(file);
          await file.close();
        }
        return work().finally(() => {
          if (keep?.isOpen()) idle.add(keep);
        });
      }),
  };
}

/** Lends one of at most `count` buffers of this many bytes while the work runs; waiters are served in order. */
export function createReadBuffers(count: number, bytes: number) {
  const slots = createSlots(count);
  const spare: Buffer[] = [];
  return {
    use: <T>(work: (buffer: Buffer) => Promise<T>): Promise<T> =>
      slots.use(async () => {
        const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(bytes);
        try {
          return await work(buffer);
        } finally {
          spare.push(buffer);
        }
      }),
  };
}
