/** Limits how many users do something at once: each holds a slot meanwhile. */
export interface Slots {
  /** Resolves when a slot is free, in the order of the calls; undefined when one is free now. */
  acquire(): Promise<void> | undefined;
  release(): void;
}

/** Creates `count` slots; with Infinity nobody waits. */
export function createSlots(count: number): Slots {
  let available = count;
  const waiting: (() => void)[] = [];
  return {
    acquire: () => {
      if (available === 0) return new Promise<void>((resolve) => waiting.push(resolve));
      available -= 1;
      return undefined;
    },
    release: () => {
      const next = waiting.shift();
      if (next === undefined) available += 1;
      else next();
    },
  };
}
