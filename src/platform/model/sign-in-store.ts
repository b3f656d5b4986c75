import type { Note } from './mail.ts';
import type { Author } from './records.ts';

/** The one-time codes of a user. */
export interface CodeEnrolment {
  /** The sealed secret of the authenticator app. */
  readonly secret: string;
  /** Only a confirmed enrolment is asked for at a sign-in. */
  readonly isConfirmed: boolean;
  /** How many recovery codes are left. */
  readonly recoveryCodes: number;
}

/** A sealed secret whose first code was right, with the hashes of its recovery codes. */
export interface ConfirmedCodes {
  readonly secret: string;
  readonly hashes: readonly string[];
}

/** The failed sign-ins of one user name from one address, or from all new ones together. Times are ISO 8601. */
export interface SignInFailures {
  readonly failures: number;
  readonly lastAt: string;
}

/** An attempt of a user name from some addresses. Times are ISO 8601; failures before `since` are forgotten. */
export interface CountedAttempt {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly at: string;
  readonly since: string;
}

/** Failed sign-ins count for a day after the last one. */
export const FORGET_FAILURES_MS = 24 * 60 * 60 * 1_000;

/** What sign-ins store besides the users. */
export interface SignInStore {
  /** When the user last signed in from the address (ISO 8601); undefined when never, or long ago. */
  findSignIn(userId: number, address: string): Promise<string | undefined>;
  /** Records a sign-in of the user from the address; a limited number of addresses per user. */
  keepSignIn(userId: number, address: string, at: string): Promise<void>;

  findCodes(userId: number): Promise<CodeEnrolment | undefined>;
  /** Starts an enrolment, in place of one that was never confirmed. False if one is confirmed. */
  startCodes(userId: number, secret: string): Promise<boolean>;
  /**
   * Confirms the enrolment with this secret, stores the hashes of its recovery codes, and queues the note. False if there is
   * none.
   */
  confirmCodes(userId: number, confirmed: ConfirmedCodes, author: Author, note?: Note): Promise<boolean>;
  /** Replaces the recovery codes. False without a confirmed enrolment. */
  replaceRecoveryCodes(userId: number, hashes: readonly string[], author: Author): Promise<boolean>;
  /** Removes the enrolment, and queues the note. False if there is none. */
  removeCodes(userId: number, author: Author, note?: Note): Promise<boolean>;
  /** Replaces the sealed secret of each user by what `reseal` makes of it, if it makes one. */
  resealCodes(reseal: (sealed: string) => string | undefined): Promise<void>;
  /** Takes the code of a window of time. False if it, or one of a later window, was taken before. */
  takeStep(userId: number, step: number): Promise<boolean>;
  /** The hash of a recovery code that is not used. */
  findRecoveryCode(userId: number, place: number): Promise<string | undefined>;
  /** Takes a recovery code. False if another request was faster. */
  takeRecoveryCode(userId: number, place: number): Promise<boolean>;

  /**
   * Counts an attempt as a failure of each of its addresses before it is made, if `mayTry` allows that. Replicas take turns, so none
   * tries by a count that another one has just raised. Resolves to the failures before it, of each address, which `mayTry` gets.
   */
  countAttempt(
    attempt: CountedAttempt,
    mayTry: (before: readonly (SignInFailures | undefined)[]) => boolean,
  ): Promise<readonly (SignInFailures | undefined)[]>;
  /** Takes back an attempt that was counted and was not a failure. `before` is what counting it resolved to. */
  takeBackAttempt(attempt: CountedAttempt, before: readonly (SignInFailures | undefined)[]): Promise<void>;
  /** Forgets the failures under a name, from the addresses or from all; resolves to their number. */
  clearFailures(name: string, addresses?: readonly string[]): Promise<number>;
  /** Deletes failures before `before` (ISO 8601), and all but the newest `most`. */
  trimFailures(before: string, most: number): Promise<void>;
}
