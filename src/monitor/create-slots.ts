/** Places that are shared by many, of which each is taken by one at a time. */
export interface Slots {
  /** Resolves when there is a place, in the order of asking. */
  take(): Promise<void>;
  free(): void;
}

/** Makes `count` places; more than can be counted makes no one wait. */
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
