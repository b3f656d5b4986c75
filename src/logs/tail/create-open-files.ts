/** Bounds how many log files are open at once, of all targets together. */
export interface OpenFiles {
  /**
   * Does something that holds one descriptor, once there is room. What stays open after it says so by `keep`: it is closed
   * again when others need the room, the one that was used longest ago first.
   */
  use<T>(work: () => Promise<T>, keep?: OpenFile): Promise<T>;
}

/** A file that may stay open between two reads. */
export interface OpenFile {
  isOpen(): boolean;
  close(): Promise<void>;
}

/** So many by default: most systems give a process 1,024 descriptors, and some 256. */
export const MAX_OPEN_FILES = 64;

/** None is open yet. */
export function createOpenFiles(max = MAX_OPEN_FILES): OpenFiles {
  const limit = Math.max(max, 1);
  /** Open and not in use, the one used longest ago first. */
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
        // The place goes to who waits longest.
        const next = waiting.shift();
        if (next === undefined) busy--;
        else next();
      }
    },
  };
}
