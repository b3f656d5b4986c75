/** Buffers that readers share. */
export interface ReadBuffers {
  /** Lends a buffer for as long as the work takes; who finds none waits for the next one, in the order of asking. */
  use<T>(work: (buffer: Buffer) => Promise<T>): Promise<T>;
}

/** At most `count` buffers of so many bytes, each made when it is needed first. */
export function createReadBuffers(count: number, bytes: number): ReadBuffers {
  const spare: Buffer[] = [];
  const waiting: ((buffer: Buffer) => void)[] = [];
  let made = 0;

  const take = async (): Promise<Buffer> => {
    const buffer = spare.pop();
    if (buffer !== undefined) return buffer;
    if (made === count) return new Promise((resolve) => waiting.push(resolve));
    made++;
    return Buffer.allocUnsafeSlow(bytes);
  };
  return {
    use: async (work) => {
      const buffer = await take();
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
