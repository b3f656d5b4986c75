import type { SendFailure } from '../../lib/mail/create-mail-transport.ts';
import type { LinkKind, LinkStore } from './account-link.ts';

/**
 * A mail that tells a user of a change to the own account. `password-changed`: by the user, `password-set`: by somebody
 * else.
 */
export type NoteKind = 'password-changed' | 'password-set' | 'address-changed' | 'codes-on' | 'codes-off';

/** A note to a user. */
export interface Note {
  readonly kind: NoteKind;
  readonly userId: number;
  /**
   * The e-mail address that the user had when the note was queued: whoever changes the address a moment later gets none of
   * it. Absent in a note of an older subnetd.
   */
  readonly to?: string;
  /** Of `password-set` and `address-changed`. */
  readonly change?: AccountChange;
}

/** A change that somebody else may have made, and the names of the user before it. */
export interface AccountChange {
  readonly firstName: string;
  readonly userName: string;
  /** The user name of the admin user whose credential it was; null on the command line. */
  readonly by: string | null;
  /** As the audit trail has it. */
  readonly credential: string;
  /** The new e-mail address, masked. Only of `address-changed`. */
  readonly newAddress?: string;
}

/**
 * An e-mail address of which a reader sees the first character and the domain. The old address may be somebody else's, whose
 * mistake in typing was corrected.
 */
export const maskAddress = (address: string): string =>
  `${[...address][0] ?? ''}…${address.slice(address.lastIndexOf('@'))}`;

/**
 * A mail to send: what it is and whom it concerns. It holds no link and no token, because they are made when it is sent.
 * `address` is the key of an e-mail address that somebody typed, whether or not a user has it.
 */
export type NewMail =
  | { readonly kind: 'reset'; readonly address: string }
  | { readonly kind: 'activation'; readonly userId: number }
  | Note;

/** One of the mails. */
export type MailKind = NewMail['kind'];

/** The link that a mail carries; undefined if none. */
export const LINK_OF: Readonly<Partial<Record<MailKind, LinkKind>>> = { reset: 'reset', activation: 'activation' };

/** A mail that waits in the database. */
export type WaitingMail = NewMail & {
  readonly id: number;
  /** When it was queued; ISO 8601. */
  readonly createdAt: string;
  /** How often its sending was begun, this time included. */
  readonly attempts: number;
};

/** The admin user whom a mail is for. */
export interface Recipient {
  readonly userId: number;
  readonly firstName: string;
  readonly userName: string;
  readonly emailId: string;
  readonly isActive: boolean;
  readonly passwordVersion: number;
}

/** Where mails wait, in an open database. Times are ISO 8601. Rejects with a `DatabaseFailure`. */
export interface MailStore extends LinkStore {
  /** Adds a mail, unless `most` wait already; resolves to whether it was added. */
  addMail(mail: NewMail, at: string, most: number): Promise<boolean>;
  /**
   * Takes the mail that has been due longest, for this caller alone for so long; undefined if none is due. `claim` is unique.
   * PostgreSQL measures claims by its own clock, because those of replicas differ.
   */
  claimMail(at: string, forMs: number, claim: string): Promise<WaitingMail | undefined>;
  /** Keeps a claimed mail for so long from now on. Resolves to false if somebody else has claimed it since. */
  renewClaim(at: string, forMs: number, claim: string): Promise<boolean>;
  /** Gives a claimed mail back until `dueAt`. Does nothing if somebody else has claimed it since. */
  postponeMail(claim: string, dueAt: string): Promise<void>;
  removeMail(claim: string): Promise<void>;
  /** The admin user with the id, or with the e-mail address of that key. */
  findRecipient(by: { readonly userId: number } | { readonly address: string }): Promise<Recipient | undefined>;
}

/** Hands mails over. Absent where no mail server is configured. */
export interface MailQueue {
  /** Resolves to whether the mail was accepted: the queue has a limit. Takes the same time whoever it is for. */
  add(mail: NewMail): Promise<boolean>;
  /** Sends an active user a mail at once, which says that mails arrive; resolves to why that failed. */
  sendTest(userId: number): Promise<SendFailure | undefined>;
}
