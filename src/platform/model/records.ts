import type { ApiRecord, Value } from './resource.ts';

/** Who makes a change, by which credential, when and from where. */
export interface Author {
  /** The admin user that the request states; null on the command line. */
  readonly statedBy: number | null;
  /** The admin user that the credential belongs to; null on the command line. */
  readonly owner: number | null;
  /** `key 3`, `token of key 3`, `token`, `session` or `command line`. */
  readonly credential: string;
  /** ISO 8601. */
  readonly at: string;
  readonly ip: string | null;
  /** Of the request that changes it; absent on the command line. */
  readonly requestId?: string;
}

/** An add that its client may send again and that is then carried out once. */
export interface IdempotentAdd {
  /** A digest of the client and of the key that it sent. */
  readonly key: string;
  /** A digest of what is added; a repetition has the same. */
  readonly fingerprint: string;
  /** Since when the key counts, ISO 8601; an older use of it is forgotten. */
  readonly since: string;
}

/** What a key was used for. */
export interface UsedKey {
  readonly fingerprint: string;
  /** The id of the record that was added. */
  readonly id: number;
}

/** The storage of keys. They are taken in the transaction of the add, see `PlatformStore.add`. */
export interface IdempotencyStore {
  /** What a key was used for since a time (ISO 8601). */
  findUsedKey(key: string, since: string): Promise<UsedKey | undefined>;
  /** Deletes keys that were used before a time (ISO 8601). */
  trimUsedKeys(before: string): Promise<void>;
}

/** Which records of a resource to list, and in which order. */
export interface RecordQuery {
  /** A part of any of its texts, without case. */
  readonly search?: string | undefined;
  /** Members and the values that they have. */
  readonly where?: Readonly<Record<string, Exclude<Value, null>>>;
  /** Only records that were added or changed at this time or later; ISO 8601. */
  readonly since?: string | undefined;
  /** The member to sort by, then by id; by default the id alone. `isDescending` turns both round. */
  readonly sort?: { readonly member: string; readonly isDescending: boolean } | undefined;
  /** How many records of that order to leave out. */
  readonly offset: number;
  /** Only records that follow the one with this id in that order. */
  readonly after?: number | undefined;
  readonly limit: number;
  /** Without `sort`: the most records to look at, from `after` on. */
  readonly lookAt?: number | undefined;
  /** Whether to leave the total out, which costs a second query; it is then 0. */
  readonly isUncounted?: boolean;
}

/** Some of the records that match, and how many there are in all, without `after`, `offset` and `limit`. */
export interface FoundRecords {
  readonly items: readonly ApiRecord[];
  readonly total: number;
  /** If not all records were looked at: the id of the last one that was. The search goes on after it. */
  readonly lookedTo?: number | undefined;
}
