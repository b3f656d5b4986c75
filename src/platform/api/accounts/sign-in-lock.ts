import { HOUR_MS } from '../../../lib/duration.ts';
import { FORGET_FAILURES_MS, type SignInFailures, type SignInStore } from '../../model/sign-in-store.ts';
import type { ErrorCode } from '../error-codes.ts';
import { limitHeaders } from '../limits.ts';
import { fail, type Outcome } from '../outcome.ts';
import type { Sealer } from './sealer.ts';

/** One attempt to show who somebody is. */
export interface Attempt {
  readonly store: SignInStore;
  readonly userNameKey: string;
  /** The key of the address for limits. */
  readonly address: string;
  /** Has the user signed in from there before? */
  readonly isKnown: boolean;
  /** Does a success forget the failures? Only a whole sign-in does, so that a password alone frees no more guesses of a code. */
  readonly isSignIn: boolean;
  /** Called when the attempt fails and the next one from there has to wait. */
  readonly onLock?: () => void;
}

/**
 * Makes people wait after repeated failures. A user name is locked for one address at a time, so nobody locks a user out
 * from elsewhere. All new addresses together have a delay, so that many of them guess no faster than one.
 */
export interface SignInLock {
  /** Counts an attempt as a failure, runs it, and takes the count back if it was none; refuses it while the lock lasts. */
  guard<T>(attempt: Attempt, run: () => Promise<Outcome<T>>): Promise<Outcome<T>>;
  /** Ends every wait of a user name; resolves to whether there was one. */
  unlock(store: SignInStore, userNameKey: string): Promise<boolean>;
}

/** So many failures are forgiven; each one after that doubles the wait, from the first to the longest. */
const AN_ADDRESS = { free: 10, firstMs: 60_000, longestMs: HOUR_MS };
const NEW_ADDRESSES = { free: 20, firstMs: 1_000, longestMs: 30_000 };

/** Stands for all addresses from which the user has never signed in. */
const ALL_NEW = '';

/** The answers that count as a failure: a wrong password or a wrong code. */
const FAILURES: ReadonlySet<ErrorCode> = new Set([1104, 1118, 1119, 1124]);

const waitMs = ({ free, firstMs, longestMs }: typeof AN_ADDRESS, failures: number): number =>
  failures < free ? 0 : Math.min(longestMs, firstMs * 2 ** (failures - free));

/** How long an attempt still has to wait, and the whole wait, in milliseconds. */
function remaining(rule: typeof AN_ADDRESS, row: SignInFailures | undefined, now: number) {
  const whole = waitMs(rule, row?.failures ?? 0);
  const sinceMs = row === undefined ? 0 : now - Date.parse(row.lastAt);
  return { whole, left: sinceMs > FORGET_FAILURES_MS ? 0 : whole - sinceMs };
}

/** The longer wait of an address and of all new ones. */
function longestWait([here, elsewhere]: readonly (SignInFailures | undefined)[], now: number) {
  const ofAddress = remaining(AN_ADDRESS, here, now);
  const ofNew = remaining(NEW_ADDRESSES, elsewhere, now);
  return ofNew.left > ofAddress.left ? ofNew : ofAddress;
}

/** Creates the lock; without `isOn` it counts nothing. `now` is in Unix milliseconds. */
export function createSignInLock(isOn: boolean, sealer: () => Promise<Sealer>, now: () => number): SignInLock {
  const turns = new Map<string, Promise<unknown>>();
  const inTurn = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const done = (turns.get(name) ?? Promise.resolve()).then(work);
    const settled = done.then(
      () => {},
      () => {},
    );
    turns.set(name, settled);
    void settled.then(() => turns.get(name) === settled && turns.delete(name));
    return done;
  };
  const digestOf = async (userNameKey: string) => (await sealer()).digest(`user name ${userNameKey}`);

  const attemptInTurn = async <T>(name: string, attempt: Attempt, run: () => Promise<Outcome<T>>) => {
    const { store, address, isKnown, isSignIn, onLock } = attempt;
    const addresses = isKnown ? [address] : [address, ALL_NEW];
    const startedAt = now();
    const toText = (ms: number) => new Date(ms).toISOString();
    const counted = { name, addresses, at: toText(startedAt), since: toText(startedAt - FORGET_FAILURES_MS) };
    // Counted first: several processes on one database allow no more guesses than one.
    const before = await store.countAttempt(counted, (rows) => longestWait(rows, startedAt).left <= 0);
    const { whole, left } = longestWait(before, startedAt);
    if (left > 0) {
      const headers = limitHeaders({ name: 'lock', everyMs: whole, burst: 1 }, { ok: false, fullInMs: left });
      return fail(
        1102,
        'too many sign-ins failed; retry after the time in Retry-After, or ask an admin to unlock the account',
        headers,
      );
    }
    let result: Outcome<T> | undefined;
    try {
      result = await run();
      return result;
    } finally {
      if (result?.ok && isSignIn) await store.clearFailures(name, addresses);
      else if (result === undefined || result.ok || !FAILURES.has(result.failure.code))
        await store.takeBackAttempt(counted, before);
      else if ((before[0]?.failures ?? 0) + 1 === AN_ADDRESS.free) onLock?.();
    }
  };

  return {
    guard: async (attempt, run) => {
      if (!isOn) return run();
      const name = await digestOf(attempt.userNameKey);
      // In turn, as many good ones at once would look like failures. A known address waits for no other one.
      const turn = `${name} ${attempt.isKnown ? attempt.address : ALL_NEW}`;
      return inTurn(turn, () => attemptInTurn(name, attempt, run));
    },
    unlock: async (store, userNameKey) => (await store.clearFailures(await digestOf(userNameKey))) > 0,
  };
}
