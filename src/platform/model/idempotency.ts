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
