import { siteKey } from '../../lib/addresses.ts';
import { type Buckets, createMemoryBuckets, type Taken } from '../../lib/buckets.ts';
import { fail, type Outcome, succeed } from './outcome.ts';

/** A bucket that gains one request each `everyMs` and holds `burst`. */
export interface LimitPolicy {
  readonly name: string;
  readonly everyMs: number;
  readonly burst: number;
}

/** How many requests a bucket holds that is full again in so many milliseconds. */
const toRemaining = ({ everyMs, burst }: LimitPolicy, fullInMs: number): number =>
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

/** Requests a second and at once, and sign-ins a minute; 0 turns a limit off. */
export interface LimitSettings {
  readonly rate: number;
  readonly burst: number;
  readonly signIns: number;
}

/** A /48 of IPv6 may send so many times as much as one of its addresses: a household or a firm has many. */
const OF_A_SITE = 10;

/**
 * The limits of the API. The value of an outcome is the headers with the client's current limits. An address is the key of one;
 * its /48 is limited beside it.
 */
export interface Limits {
  address(address: string): Promise<Outcome<Readonly<Record<string, string>>>>;
  credential(credential: string): Promise<Outcome<Readonly<Record<string, string>>>>;
  /** How many requests each of the credentials has left now, of how many; undefined with the limit off. Counts nothing. */
  left(credentials: readonly string[]): Promise<{ readonly left: readonly number[]; readonly of: number } | undefined>;
  /** Counts a sign-in attempt from an address. */
  signInFrom(address: string): Promise<Outcome<unknown>>;
  /** Counts a sign-in attempt for a user name, from an address that is new for that user. */
  signInAs(userNameKey: string): Promise<Outcome<unknown>>;
}

/** Limits in `shared` if replicas share them; without it, or if it fails, in the memory of this process. */
export function createLimits(
  { rate, burst, signIns }: LimitSettings,
  now: () => number,
  shared: () => Promise<Buckets | undefined>,
): Limits {
  const memory = createMemoryBuckets(now);
  const withBuckets = async <T>(use: (buckets: Buckets) => T | Promise<T>): Promise<T> => {
    try {
      const buckets = await shared();
      if (buckets !== undefined) return await use(buckets);
    } catch {
      // Without the database, each replica has its own limits.
    }
    return use(memory);
  };
  const isOn = rate > 0 && burst > 0;
  const check = async (policy: LimitPolicy, key: string, what: string) => {
    const taken = await withBuckets(({ take }) => take(`${policy.name} ${key}`, policy.everyMs, policy.burst));
    const headers = limitHeaders(policy, taken);
    return taken.ok ? succeed(headers) : fail(1102, `too many ${what}; retry after the time in Retry-After`, headers);
  };
  const none: Outcome<Readonly<Record<string, string>>> = succeed({});
  const everyMs = 1000 / rate;
  const perAddress: LimitPolicy = { name: 'address', everyMs, burst };
  const perCredential: LimitPolicy = { name: 'credential', everyMs, burst };
  const perSignIn: LimitPolicy = { name: 'sign-in', everyMs: 60_000 / signIns, burst: signIns };
  /** Counts for the address, then for its /48. What the first refuses does not count for the second. */
  const checkAddress = async (policy: LimitPolicy, address: string, what: string) => {
    const taken = await check(policy, address, what);
    const site = siteKey(address);
    if (!taken.ok || site === undefined) return taken;
    const ofSite = { ...policy, name: `${policy.name}-48`, everyMs: policy.everyMs / OF_A_SITE };
    const takenOfSite = await check({ ...ofSite, burst: policy.burst * OF_A_SITE }, site, `${what} and its /48`);
    return takenOfSite.ok ? taken : takenOfSite;
  };
  return {
    address: async (key) => (isOn ? checkAddress(perAddress, key, 'requests from this address') : none),
    credential: async (key) => (isOn ? check(perCredential, key, 'requests with this credential') : none),
    left: async (credentials) => {
      if (!isOn) return undefined;
      const keys = credentials.map((credential) => `${perCredential.name} ${credential}`);
      const fullIn = await withBuckets(({ peek }) => peek(keys));
      return { left: fullIn.map((ms) => toRemaining(perCredential, ms)), of: burst };
    },
    signInFrom: async (key) => (signIns > 0 ? checkAddress(perSignIn, key, 'sign-ins from this address') : none),
    signInAs: async (userNameKey) => (signIns > 0 ? check(perSignIn, `user ${userNameKey}`, 'sign-ins') : none),
  };
}
