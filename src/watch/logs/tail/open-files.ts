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
  /** Open and not in use, least recently used first. */
  const idle = new Set<OpenFile>();
  const waiting: (() => void)[] = [];
  let busy = 0;

  return {
    use: async (work, keep) => {
      if (busy >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
      else busy++;
      if (keep !== undefined) idle.delete(keep);
      try {
        for (const file of idle) if (!file.isOpen()) idle.delete(file);
        for (const file of idle) {
          if (idle.size + busy <= limit) break;
          idle.delete(file);
          await file.close();
        }
        return await work();
      } finally {
        if (keep?.isOpen()) idle.add(keep);
        // The slot goes to the longest waiter.
        const next = waiting.shift();
        if (next === undefined) busy--;
        else next();
      }
    },
  };
}

/** Buffers that readers share. */
export interface ReadBuffers {
  /** Lends a buffer while the work runs; waiters are served in order. */
  use<T>(work: (buffer: Buffer) => Promise<T>): Promise<T>;
}

/** At most `count` buffers of this many bytes, allocated on first use. */
export function createReadBuffers(count: number, bytes: number): ReadBuffers {
  const spare: Buffer[] = [];
  const waiting: ((buffer: Buffer) => void)[] = [];
  let allocated = 0;

  const acquire = async (): Promise<Buffer> => {
    const buffer = spare.pop();
    if (buffer !== undefined) return buffer;
    if (allocated === count) return new Promise((resolve) => waiting.push(resolve));
    allocated++;
    return Buffer.allocUnsafeSlow(bytes);
  };
  return {
    use: async (work) => {
      const buffer = await acquire();
      try {
        return await work(buffer);
      } finally {
        const next = waiting.shift();
        if (next === undefined) spare.push(buffer);
        else next(buffer);
      }
    },
  };
}
