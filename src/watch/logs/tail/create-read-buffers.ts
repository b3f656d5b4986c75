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
