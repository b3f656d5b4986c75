/** The verdict of a limit on one request. */
export interface Taken {
  readonly ok: boolean;
  /** Until the bucket is full again, in milliseconds. */
  readonly fullInMs: number;
}

/** The buckets of all limits, by keys. */
export interface Buckets {
  /** Takes one request from a bucket. */
  take(key: string, everyMs: number, burst: number): Promise<Taken> | Taken;
  /** Until each of the buckets is full again, in milliseconds. Takes nothing. */
  peek(keys: readonly string[]): Promise<readonly number[]> | readonly number[];
}

/** Buckets that answer at once. */
export interface MemoryBuckets extends Buckets {
  take(key: string, everyMs: number, burst: number): Taken;
  peek(keys: readonly string[]): readonly number[];
}

const MAX_KEYS = 100_000;
/** To look for full buckets takes milliseconds. */
const SWEEP_EVERY_MS = 1_000;

/** Buckets in the memory of this process. `now` is in milliseconds and never goes back. */
export function createMemoryBuckets(now: () => number): MemoryBuckets {
  /** When each bucket is full again; the one that was used last comes last. */
  const fullAt = new Map<string, number>();
  let sweptAt = Number.NEGATIVE_INFINITY;
  /** Bounds the memory for addresses. */
  const makeRoom = (at: number) => {
    if (fullAt.size < MAX_KEYS) return;
    if (at - sweptAt >= SWEEP_EVERY_MS) {
      sweptAt = at;
      for (const [old, time] of fullAt) if (time <= at) fullAt.delete(old);
    }
    if (fullAt.size >= MAX_KEYS) fullAt.delete(fullAt.keys().next().value ?? '');
  };
  return {
    take: (key, everyMs, burst) => {
      const at = now();
      const next = Math.max(fullAt.get(key) ?? 0, at) + everyMs;
      const ok = next <= at + everyMs * burst;
      if (ok) {
        fullAt.delete(key);
        makeRoom(at);
        fullAt.set(key, next);
      }
      return { ok, fullInMs: (ok ? next : next - everyMs) - at };
    },
    peek: (keys) => {
      const at = now();
      return keys.map((key) => Math.max(0, (fullAt.get(key) ?? 0) - at));
    },
  };
}
