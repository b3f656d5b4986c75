import { createHash } from 'node:crypto';
import type { BlockList } from 'node:net';
import type { MiddlewareHandler } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { HTTPException } from 'hono/http-exception';
import { addressKey, clientAddress } from '../lib/addresses.ts';
import { createMemoryBuckets } from '../lib/buckets.ts';
import type { ReceivedRequest } from '../model/received-request.ts';
import { type RoutesEnv, toReceived } from './api-routes.ts';

/** What a check says. With `retryAfterS`, in seconds, the password was not compared: too many others wait or were wrong. */
export type CheckedUser = { readonly ok: true } | { readonly ok: false; readonly retryAfterS?: number };

/** Checks the password of a user of the web config, for a client with this key of its address. */
export type CheckUser = (name: string, password: string, addressKey: string) => Promise<CheckedUser>;

/** Wrong passwords of one address: ten at once, then a hundred an hour. */
const FAILURES = { everyMs: 36_000, burst: 10 };

/** Who goes first: addresses where a user was right before, then those without a recent failure, then all others. */
const LANES = { good: 0, fresh: 1, failed: 2 };

/** This many passwords of a lane may wait to be compared. */
const MOST_COMPARES = 32;

/** About how long it takes to compare them. */
const RETRY_AFTER_S = 3;

const MOST_GOOD_ADDRESSES = 1_000;

interface Compare {
  readonly addressKey: string;
  readonly lane: number;
  begin(): void;
}

/** Compares one password at a time: the same threads resolve host names for probes. */
function createCompares() {
  const pending = new Set<Compare>();
  const countOf = (isMeant: (compare: Compare) => boolean) => [...pending].filter(isMeant).length;
  return {
    /** How many passwords of the address are being compared, or wait. */
    countOf: (addressKey: string) => countOf((compare) => compare.addressKey === addressKey),
    /** Undefined if too many wait in the lane. */
    run: async <T>(lane: number, addressKey: string, compare: () => Promise<T>): Promise<T | undefined> => {
      if (countOf((other) => other.lane === lane) >= MOST_COMPARES) return undefined;
      const isFirst = pending.size === 0;
      const { promise: turn, resolve: begin } = Promise.withResolvers<void>();
      const own = { lane, addressKey, begin };
      pending.add(own);
      try {
        if (!isFirst) await turn;
        return await compare();
      } finally {
        pending.delete(own);
        const [next] = [...pending].sort((one, other) => one.lane - other.lane);
        next?.begin();
      }
    },
  };
}

/** The addresses where a user was right, the latest ones. */
function createGoodAddresses() {
  const kept = new Set<string>();
  return {
    has: (addressKey: string) => kept.has(addressKey),
    keep: (addressKey: string) => {
      kept.delete(addressKey);
      kept.add(addressKey);
      const [oldest] = kept;
      if (kept.size > MOST_GOOD_ADDRESSES && oldest !== undefined) kept.delete(oldest);
    },
  };
}

/**
 * Checks users, whose hashes are of bcrypt. A password that was right stays right without a comparison, so nobody who guesses
 * keeps a scraper out.
 */
export function createCheckUser(users: Readonly<Record<string, string>>): CheckUser {
  /** The digest of each user's right password. */
  const right = new Map<string, string>();
  const goodAddresses = createGoodAddresses();
  const failures = createMemoryBuckets(() => performance.now());
  const compares = createCompares();
  // Of an unknown user the hash of a known one is compared, so that both take as long.
  const [decoy = ''] = Object.values(users);

  return async (name, password, addressKey) => {
    const known = Object.hasOwn(users, name) ? users[name] : undefined;
    // bcrypt takes a tenth of a second by design: a scrape every few seconds pays once.
    const digest = createHash('sha256').update(`${known}\0${name}\0${password}`).digest('hex');
    const isKnown = () => right.get(name) === digest;
    if (!isKnown()) {
      const [failedMs = 0] = failures.peek([addressKey]);
      // Each one that waits may be a failure as well.
      const left = FAILURES.burst - compares.countOf(addressKey) - failedMs / FAILURES.everyMs;
      if (left < 1) return { ok: false, retryAfterS: Math.ceil(((1 - left) * FAILURES.everyMs) / 1_000) };
      const lane = goodAddresses.has(addressKey) ? LANES.good : failedMs === 0 ? LANES.fresh : LANES.failed;
      const fits = await compares.run(lane, addressKey, async () => {
        if (isKnown()) return true;
        const { compare } = await import('bcrypt');
        return compare(password, (known ?? decoy).replace('$2y$', '$2b$'));
      });
      if (fits === undefined) return { ok: false, retryAfterS: RETRY_AFTER_S };
      if (!fits || known === undefined) {
        failures.take(addressKey, FAILURES.everyMs, FAILURES.burst);
        return { ok: false };
      }
      right.set(name, digest);
    }
    goodAddresses.keep(addressKey);
    return { ok: true };
  };
}

/** Checks the user of the web config that a request names. */
export type CheckRequest = (name: string, password: string, received: ReceivedRequest) => Promise<CheckedUser>;

/** Checks users for the address of their client, and tells `onRefused` of each one that is refused; undefined without users. */
export const createCheckRequest = (
  checkUser: CheckUser | undefined,
  trustedProxies: BlockList,
  onRefused: (received: ReceivedRequest) => void,
): CheckRequest | undefined =>
  checkUser &&
  (async (name, password, received) => {
    const { request, remoteAddress } = received;
    const forwarded = request.headers.get('x-forwarded-for') ?? undefined;
    const address = clientAddress(remoteAddress, forwarded, trustedProxies);
    const checked = await checkUser(name, password, addressKey(address));
    if (!checked.ok) onRefused(received);
    return checked;
  });

/** Lets users of the web config through. Without a right password it throws 401, and 503 if that is not known yet. */
export const requireUser = (checkRequest: CheckRequest, invalidUserMessage: string): MiddlewareHandler<RoutesEnv> =>
  basicAuth({
    realm: 'subnetd',
    invalidUserMessage,
    verifyUser: async (name, password, c) => {
      const checked = await checkRequest(name, password, toReceived(c));
      if (checked.ok || checked.retryAfterS === undefined) return checked.ok;
      // Not 401: a browser would ask for another password, and this one may be right.
      const res = new Response('too many passwords were tried; retry after the time in Retry-After\n', {
        status: 503,
        headers: { 'retry-after': String(checked.retryAfterS), 'cache-control': 'no-store' },
      });
      throw new HTTPException(503, { res });
    },
  });
