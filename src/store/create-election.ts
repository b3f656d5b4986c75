import type { ClockSources } from '../lib/clock.ts';
import { settleWithin } from '../lib/promises.ts';
import type { Election, Lock } from '../model/fleet.ts';

/** A session of a database server, to which the server ties locks: they end with it. */
export interface LockSession {
  /** Resolves to those of the locks that the session got, also to none. Rejects when it is lost. */
  tryLocks(locks: readonly Lock[]): Promise<readonly Lock[]>;
  /** Releases all locks. */
  close(): Promise<void>;
}

/** What an election needs. */
export interface ElectionDeps {
  /** Opens a session for a limited time. `onLost` is called when the session ends by itself. */
  readonly openSession: (onLost: () => void) => Promise<LockSession>;
  /** Not watched time, in which a process that was stopped has missed nothing. */
  readonly clock: ClockSources;
  readonly onChange: (lock: Lock, isHeld: boolean) => void;
}

/** An election that can be ended. */
export interface OwnElection extends Election {
  /** Releases all locks at once. */
  stop(): Promise<void>;
}

const ASK_EVERY_MS = 2_000;
/** A session that is being opened when the election ends is closed later. */
const STOP_WITHIN_MS = 500;

/**
 * The server's last answer counts for so long. A lock that was just got counts after as long: by then an earlier holder
 * knows that it has lost it, even one that cannot hear the server.
 */
export const TRUST_MS = 5_000;

/** An instance with a database of its own holds every lock. */
export function createSoleElection(): OwnElection {
  const locks = new Map<Lock, boolean>();
  return {
    standFor: (lock) => {
      locks.set(lock, true);
      return () => true;
    },
    locks: () => locks,
    stop: async () => {},
  };
}

/** Opens a session when it first stands for a lock, and another one when that is lost. */
export function createElection({ openSession, clock, onChange }: ElectionDeps): OwnElection {
  const read = () => ({ monotonic: clock.monotonic(), wall: clock.wall() });
  /** The locks that this instance stands for: whether it was last seen to hold each, and who wants to know. */
  const wanted = new Map<Lock, { readonly isHeld: boolean; readonly listeners: readonly (() => void)[] }>();
  /** When the server answered that the session has got a lock. */
  const gotAt = new Map<Lock, number>();
  /** When the last question was sent that the session has answered. */
  let askedAt: ReturnType<typeof read> | undefined;
  let session: LockSession | undefined;
  let asking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const isHeld = (lock: Lock): boolean => {
    const got = gotAt.get(lock);
    if (got === undefined || askedAt === undefined) return false;
    const { monotonic, wall } = read();
    // While the machine is suspended, the monotonic clock does not run. The wall clock may be set back.
    const sinceAsked = Math.max(monotonic - askedAt.monotonic, wall - askedAt.wall);
    return sinceAsked < TRUST_MS && monotonic - got >= TRUST_MS;
  };
  const notify = () => {
    for (const [lock, before] of wanted) {
      const is = isHeld(lock);
      if (isStopped || is === before.isHeld) continue;
      wanted.set(lock, { ...before, isHeld: is });
      onChange(lock, is);
      for (const listener of before.listeners) listener();
    }
  };
  const forget = () => {
    session = undefined;
    askedAt = undefined;
    gotAt.clear();
  };
  const ask = async () => {
    let current = session;
    try {
      if (current === undefined) {
        current = await openSession(() => {
          if (session === current) forget();
          notify();
        });
        if (isStopped) return await current.close();
        session = current;
      }
      const sentAt = read();
      const got = await current.tryLocks([...wanted.keys()].filter((lock) => !gotAt.has(lock)));
      // It may have ended between its answer and now.
      if (session !== current) return;
      askedAt = sentAt;
      for (const lock of got) gotAt.set(lock, clock.monotonic());
      if (got.length > 0) setTimeout(notify, TRUST_MS + 1).unref();
    } catch {
      // The database link reports an outage.
      if (session === current) forget();
      await current?.close();
    }
  };
  const askNow = () => {
    clearTimeout(timer);
    asking = ask()
      .then(notify)
      .finally(() => {
        asking = undefined;
        if (isStopped) return;
        timer = setTimeout(askNow, ASK_EVERY_MS);
        timer.unref();
      });
  };

  return {
    standFor: (lock, listener) => {
      const { isHeld: was = false, listeners = [] } = wanted.get(lock) ?? {};
      wanted.set(lock, { isHeld: was, listeners: listener === undefined ? listeners : [...listeners, listener] });
      if (timer === undefined && asking === undefined && !isStopped) askNow();
      return () => isHeld(lock);
    },
    locks: () => new Map([...wanted.keys()].map((lock) => [lock, isHeld(lock)])),
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      const last = session;
      forget();
      await last?.close();
      if (asking !== undefined) await settleWithin(STOP_WITHIN_MS, asking);
    },
  };
}
