/** How often a key was answered alike within a day. */
export interface KeyUse {
  readonly keyId: number;
  /** In UTC, such as `2026-11-27`. */
  readonly day: string;
  /** The method and the pattern of the path, such as `GET /Sector/ListAll/{id}`: nothing that was sent. */
  readonly operation: string;
  readonly status: number;
  /** The `appErrorCode`; 0 for a success. */
  readonly code: number;
  readonly count: number;
  /** Of the last of these requests, ISO 8601. */
  readonly lastAt: string;
  /** Of the last ones, the newest first. */
  readonly requestIds: readonly string[];
}

/** What the uses of keys are stored in. */
export interface KeyUseStore {
  /** Adds to what is known of the same key, day, operation, status and code. No two of `uses` may have these alike. */
  addKeyUses(uses: readonly KeyUse[]): Promise<void>;
  /** The uses of a key, the newest first, at most `limit`. */
  listKeyUses(keyId: number, limit: number): Promise<readonly KeyUse[]>;
  /** Deletes the uses of the days before one. */
  trimKeyUses(day: string): Promise<void>;
}
