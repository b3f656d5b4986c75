import type { ApiRecord, Value } from './resource.ts';

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
