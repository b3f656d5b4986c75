import type { Election } from '../../model/fleet.ts';
import type { LinkStore } from './account-link.ts';
import type { AuditQuery, TrailCheck, TrailHead } from './audit-trail.ts';
import type { ImageStore } from './image.ts';
import type { KeyUseStore } from './key-use.ts';
import type { Note } from './mail.ts';
import type { Author, FoundRecords, IdempotencyStore, IdempotentAdd, RecordQuery, UsedKey } from './records.ts';
import type { ApiRecord, Resource, Value } from './resource.ts';
import type { SecurityEvent } from './security-event.ts';
import type { SessionStore } from './session.ts';
import type { SignInStore } from './sign-in-store.ts';

/** A change of a password outside the records. It ends the tokens, sessions and links of the user. */
export interface PasswordChange {
  readonly userId: number;
  /** The version that the caller has checked. Nothing changes if it is not the current one. */
  readonly passwordVersion: number;
  readonly passwordHash: string;
  /** Whether it activates an inactive user. Otherwise the user must be active. */
  readonly activates?: boolean;
  readonly author: Author;
  /** Is queued with the change, or not at all. */
  readonly mail?: Note | undefined;
}

/** What accounts store besides the users. */
export interface AccountStore extends LinkStore {
  /** Changes a password, all or nothing; false if the version or the activity is not as stated. */
  changePassword(change: PasswordChange): Promise<boolean>;
}

/**
 * The scopes of a credential, in the order in which they are listed.
 * `read`: the lists of all records.
 * `lists`: also adds and updates of project types, sectors and industries.
 * `write`: every operation of the specification.
 * `admin`: API keys and the audit trail.
 * `operate`: operations on the daemon, such as a reload.
 */
export const SCOPES = ['read', 'lists', 'write', 'admin', 'operate'] as const;

/** One of the scopes. */
export type Scope = (typeof SCOPES)[number];

/** The values of a record by member; a password as its hash, a reference as its id. An absent member stays as it is. */
export type Values = Readonly<Record<string, Value>>;

/** A natural key by member: texts as their keys, a reference as its id. */
export type KeyValues = Readonly<Record<string, string | number>>;

/** An update of a record. With `key`, only while the record still has that natural key; else it is missing. */
export interface RecordUpdate {
  readonly resource: Resource;
  readonly id: number;
  readonly values: Values;
  readonly author: Author;
  readonly key?: KeyValues | undefined;
  /** Whether the client knows the record as it is; if not, it is not updated. */
  readonly isKnown?: ((record: ApiRecord) => boolean) | undefined;
  /** Whether a note of a new e-mail address or password is queued with the update. Only of admin users. */
  readonly hasNotes?: boolean | undefined;
}

/** The outcome of a write: the id of the record, or why it failed. `member` has a key that another record has. */
export type Written =
  | { readonly ok: true; readonly id: number }
  | { readonly ok: false; readonly why: 'duplicate'; readonly member: string }
  | { readonly ok: false; readonly why: 'used-key'; readonly used: UsedKey }
  | { readonly ok: false; readonly why: 'changed'; readonly record: ApiRecord }
  | { readonly ok: false; readonly why: 'missing' | 'last-active' };

/** An admin user as sign-ins and credentials need it. */
export interface UserAccess {
  readonly id: number;
  readonly isActive: boolean;
  readonly passwordHash: string;
  /** Rises with each change of the password, and each sign-out everywhere. */
  readonly passwordVersion: number;
}

/** An API key without its secret. Times are ISO 8601. */
export interface ApiKeyRow {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Created before `operate` existed, and has it for that reason. */
  readonly hasOldOperate: boolean;
  readonly owner: number;
  /** The first characters of the key, for people; null for a key that is older than hints. */
  readonly hint: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  /** The address of its last use. */
  readonly lastUsedIp: string | null;
  readonly revokedAt: string | null;
  /** The admin user who revoked it; null for the command line. */
  readonly revokedBy: number | null;
  /** The id of the key that replaced it. */
  readonly replacedBy: number | null;
  /** The addresses and networks from which it may be used; none for anywhere. */
  readonly allowedIps: readonly string[];
}

/** A key to add; only its `hash` and `hint` are stored. */
export interface NewApiKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly owner: number;
  readonly hash: string;
  readonly hint?: string;
  readonly expiresAt?: string | undefined;
  readonly allowedIps?: readonly string[] | undefined;
}

/** The successor of a key. Name, scopes, owner and addresses are those of the old key. Times are ISO 8601. */
export interface Rotation {
  readonly id: number;
  readonly hash: string;
  readonly hint: string;
  /** Of the new key; null when it lasts until it is revoked. */
  readonly expiresAt: string | null;
  /** Until when the old key is valid. */
  readonly oldExpiresAt: string;
}

/** What a request needs of a key. */
export interface KeyAccess {
  readonly id: number;
  readonly scopes: readonly Scope[];
  readonly owner: number;
  readonly isRevoked: boolean;
  /** ISO 8601; null for a key that lasts until it is revoked. */
  readonly expiresAt: string | null;
  readonly isReplaced: boolean;
  readonly ownerIsActive: boolean;
  readonly allowedIps: readonly string[];
}

/**
 * An entry of the audit trail; `changes` has the old and new value of each member, without secrets. In the security log
 * (`isSecurity`), `changes` has the counts, and the resource is `Request` when there is no record.
 */
export interface AuditEvent {
  readonly id: number;
  readonly at: string;
  readonly action: string;
  readonly resource: string;
  readonly recordId: number;
  readonly statedBy: number | null;
  readonly owner: number | null;
  readonly credential: string;
  readonly ip: string | null;
  readonly changes: Readonly<Record<string, { readonly from: Value; readonly to: Value }>>;
  readonly requestId: string | null;
  readonly isSecurity: boolean;
}

/** An admin user to erase, the hash of a password that nobody knows, and the tables whose records may hold addresses. */
export interface Erasure {
  readonly userId: number;
  readonly passwordHash: string;
  readonly tables: readonly string[];
}

/** How many audit events were erased, or why nothing was. `taken`: another user has the name that an erased one gets. */
export type Erased =
  | { readonly ok: true; readonly events: number }
  | { readonly ok: false; readonly why: 'missing' | 'last-active' | 'taken' };

/** The storage of the platform API. Every function rejects with a `DatabaseFailure` when the database fails. */
export interface PlatformStore
  extends IdempotencyStore,
    AccountStore,
    SessionStore,
    SignInStore,
    KeyUseStore,
    ImageStore {
  /** Records with an id above `after`, by id, at most `limit`. */
  list(resource: Resource, after: number, limit: number): Promise<readonly ApiRecord[]>;
  /** The records of a query. Its members are those of the resource, without the password. */
  search(resource: Resource, query: RecordQuery): Promise<FoundRecords>;
  find(resource: Resource, id: number): Promise<ApiRecord | undefined>;
  /** The names of the records with these ids, by id: the first members of their natural keys. */
  findNames(resource: Resource, ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /**
   * Names the state of a list: each committed change of what its records show gives it another version, which never
   * comes back. What is read later is as new or newer. Undefined if the database keeps none for that list.
   */
  listVersion(resource: Resource): Promise<string | undefined>;
  /** The id of the record with this natural key (or a unique part of it), and whether it is in use. */
  findByKey(
    resource: Resource,
    key: KeyValues,
  ): Promise<{ readonly id: number; readonly isInUse: boolean } | undefined>;
  /** Adds a record. With `once`, only if its key was not used before. */
  add(resource: Resource, values: Values, author: Author, once?: IdempotentAdd): Promise<Written>;
  update(update: RecordUpdate): Promise<Written>;

  /** The user with this id, or with this key of the user name or of the e-mail address. */
  findUser(
    by: { readonly id: number } | { readonly userNameKey: string } | { readonly emailKey: string },
  ): Promise<UserAccess | undefined>;
  /** The user of a token; undefined if the token was revoked. */
  findTokenUser(userId: number, tokenId: string): Promise<UserAccess | undefined>;
  findKey(by: { readonly hash: string } | { readonly id: number }): Promise<KeyAccess | undefined>;
  /** The id of the new key; undefined when its owner is missing or not active. */
  addKey(key: NewApiKey, author: Author): Promise<number | undefined>;
  /** Keys with an id above `after`, by id, at most `limit`; all when neither is given. */
  listKeys(after?: number, limit?: number): Promise<readonly ApiKeyRow[]>;
  /** The id of the new key; undefined when the old one is missing or no longer valid, or was rotated before. */
  rotateKey(rotation: Rotation, author: Author): Promise<number | undefined>;
  /** False when there is no such key. */
  revokeKey(id: number, author: Author): Promise<boolean>;
  /** Limits the addresses from which a key may be used; none for anywhere. False when there is no such key. */
  restrictKey(id: number, allowedIps: readonly string[], author: Author): Promise<boolean>;
  /** Records when a key was used, and from which address. */
  touchKey(id: number, at: string, ip: string | null): Promise<void>;

  /** The value stored under a name. `make` creates the first; all replicas get the same. */
  getOrCreate(name: string, make: () => string): Promise<string>;

  addSecurityEvents(events: readonly SecurityEvent[]): Promise<void>;
  /**
   * Deletes some security events: those before `before` (ISO 8601) and all but the newest `most`. Deletes old sign-ins
   * too.
   */
  trimSecurityEvents(before: string, most: number): Promise<void>;
  /** The audit events of a query, by id. */
  searchAudit(query: AuditQuery): Promise<readonly AuditEvent[]>;
  /** Checks that nobody has changed the audit trail. `kept` are heads of it that were kept elsewhere. */
  checkTrail(kept: readonly TrailHead[]): Promise<readonly TrailCheck[]>;
  trailHeads(): Promise<readonly TrailHead[]>;
  /** Erases what names a person: record, keys, sessions, mails, and values in the audit trail. */
  eraseUser(erasure: Erasure, author: Author): Promise<Erased>;
}

/** Limits that several replicas share. Times are milliseconds by the clock of the database. */
export interface RateLimits {
  /**
   * Takes one request from the bucket of `key`, which gains one each `everyMs` and holds `burst`. Resolves to whether the
   * request was within it, and to how long after now the bucket is full again.
   */
  take(key: string, everyMs: number, burst: number): Promise<{ readonly ok: boolean; readonly fullInMs: number }>;
  /** How long after now each of the buckets is full again. Takes nothing. */
  peek(keys: readonly string[]): Promise<readonly number[]>;
  /** Removes buckets that are full. */
  clean(): Promise<void>;
}

/** The database of the platform, which may be down. */
export interface PlatformDatabase {
  /** Do replicas share the database, and thus the limits? */
  readonly isShared: boolean;
  readonly election: Election;
  /** Rejects with a `DatabaseFailure` while the database is down. */
  open(): Promise<{ readonly platform: PlatformStore; readonly rateLimits?: RateLimits }>;
}
