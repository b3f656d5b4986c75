/** A bucket that gains one request each `everyMs` and holds `burst`. */
export interface LimitPolicy {
  readonly name: string;
  readonly everyMs: number;
  readonly burst: number;
}

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

const MAX_KEYS = 100_000;
/** To look for full buckets takes milliseconds. */
const SWEEP_EVERY_MS = 1_000;

/** Buckets in the memory of this process. `now` is in milliseconds and never goes back. */
export function createMemoryBuckets(now: () => number): Buckets {
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

/** How many requests a bucket holds that is full again in so many milliseconds. */
export const toRemaining = ({ everyMs, burst }: LimitPolicy, fullInMs: number): number =>
  Math.max(0, Math.floor(burst - fullInMs / everyMs + 1e-6));

/** The headers of a limit: those of the IETF's draft 10, and the three of its earlier drafts that most clients know. */
export function limitHeaders(policy: LimitPolicy, { ok, fullInMs }: Taken): Readonly<Record<string, string>> {
  const { name, everyMs, burst } = policy;
  const remaining = toRemaining(policy, fullInMs);
  const reset = Math.ceil(fullInMs / 1000);
  const wait = Math.max(1, Math.ceil((fullInMs - everyMs * (burst - 1)) / 1000));
  return {
    'ratelimit-policy': `"${name}";q=${burst};w=${Math.max(1, Math.ceil((everyMs * burst) / 1000))}`,
    ratelimit: `"${name}";r=${ok ? remaining : 0};t=${ok ? reset : wait}`,
    'ratelimit-limit': String(burst),
    'ratelimit-remaining': String(ok ? remaining : 0),
    'ratelimit-reset': String(ok ? reset : wait),
    ...(!ok && { 'retry-after': String(wait) }),
  };
}

/**
 * The headers of two limits that a request has counted for; none while the limits are off. The lists name both; the three older
 * headers have room for one, and tell the one with fewer requests left.
 */
export function joinLimitHeaders(
  first: Readonly<Record<string, string>>,
  second: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (first.ratelimit === undefined) return second;
  if (second.ratelimit === undefined) return first;
  const isTighter = Number(second['ratelimit-remaining']) <= Number(first['ratelimit-remaining']);
  return {
    ...(isTighter ? { ...first, ...second } : { ...second, ...first }),
    'ratelimit-policy': `${first['ratelimit-policy']}, ${second['ratelimit-policy']}`,
    ratelimit: `${first.ratelimit}, ${second.ratelimit}`,
  };
}
