/** Slots that many share; one user at a time holds each. */
export interface Slots {
  /** Resolves when a slot is free, in the order of the calls. */
  take(): Promise<void>;
  free(): void;
}

/** Creates `count` slots; with Infinity nobody waits. */
export function createSlots(count: number): Slots {
  let left = count;
  const waiting: (() => void)[] = [];
  return {
    take: async () => {
      if (left > 0) left -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    free: () => {
      const next = waiting.shift();
      if (next === undefined) left += 1;
      else next();
    },
  };
}
