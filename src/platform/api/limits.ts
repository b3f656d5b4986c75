import type { Taken } from '../../lib/buckets.ts';

/** A bucket that gains one request each `everyMs` and holds `burst`. */
export interface LimitPolicy {
  readonly name: string;
  readonly everyMs: number;
  readonly burst: number;
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
