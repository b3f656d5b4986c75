import { type Buckets, createMemoryBuckets } from '../model/buckets.ts';
import { type LimitPolicy, limitHeaders, toRemaining } from './limits.ts';
import { fail, type Outcome, succeed } from './outcome.ts';

/** Requests a second and at once, and sign-ins a minute; 0 turns a limit off. */
export interface LimitSettings {
  readonly rate: number;
  readonly burst: number;
  readonly signIns: number;
}

/** The limits of the API. The value of an outcome is the headers with the client's current limits. */
export interface Limits {
  address(address: string): Promise<Outcome<Readonly<Record<string, string>>>>;
  credential(credential: string): Promise<Outcome<Readonly<Record<string, string>>>>;
  /** How many requests each of the credentials has left now, of how many; undefined with the limit off. Counts nothing. */
  left(credentials: readonly string[]): Promise<{ readonly left: readonly number[]; readonly of: number } | undefined>;
  /** Counts a sign-in attempt from an address. */
  signInFrom(address: string): Promise<Outcome<undefined>>;
  /** Counts a sign-in attempt for a user name, from an address that is new for that user. */
  signInAs(userNameKey: string): Promise<Outcome<undefined>>;
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
    return taken.ok ? succeed(headers) : fail(1102, `too many ${what}; wait as Retry-After says`, headers);
  };
  const none: Outcome<Readonly<Record<string, string>>> = succeed({});
  const everyMs = 1000 / rate;
  const perAddress: LimitPolicy = { name: 'address', everyMs, burst };
  const perCredential: LimitPolicy = { name: 'credential', everyMs, burst };
  const perSignIn: LimitPolicy = { name: 'sign-in', everyMs: 60_000 / signIns, burst: signIns };
  const checkSignIn = async (key: string): Promise<Outcome<undefined>> => {
    const taken = signIns === 0 ? none : await check(perSignIn, key, 'sign-ins');
    return taken.ok ? succeed(undefined) : taken;
  };
  return {
    address: async (key) => (isOn ? check(perAddress, key, 'requests from this address') : none),
    credential: async (key) => (isOn ? check(perCredential, key, 'requests with this credential') : none),
    left: async (credentials) => {
      if (!isOn) return undefined;
      const keys = credentials.map((credential) => `${perCredential.name} ${credential}`);
      const fullIn = await withBuckets(({ peek }) => peek(keys));
      return { left: fullIn.map((ms) => toRemaining(perCredential, ms)), of: burst };
    },
    signInFrom: async (address) => checkSignIn(`address ${address}`),
    signInAs: async (userNameKey) => checkSignIn(`user ${userNameKey}`),
  };
}
