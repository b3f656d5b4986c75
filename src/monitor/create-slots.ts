/** Slots that many share; one user at a time holds each. */
export interface Slots {
  /** Resolves when a slot is free, in the order of the calls. */
  acquire(): Promise<void>;
  release(): void;
}

/** Creates `count` slots; with Infinity nobody waits. */
export function createSlots(count: number): Slots {
  let available = count;
  const waiting: (() => void)[] = [];
  return {
    acquire: async () => {
      if (available > 0) available -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    release: () => {
      const next = waiting.shift();
      if (next === undefined) available += 1;
      else next();
    },
  };
}
