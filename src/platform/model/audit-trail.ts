/** Which events of the audit trail and the security log to list, and in which order. Times are ISO 8601. */
export interface AuditQuery {
  /** Only changes, or only events of the security log; both when absent. */
  readonly isSecurity?: boolean | undefined;
  readonly since?: string | undefined;
  /** Only events before this time. */
  readonly until?: string | undefined;
  readonly action?: string | undefined;
  readonly resource?: string | undefined;
  readonly recordId?: number | undefined;
  /** The admin user whose credential it was. */
  readonly owner?: number | undefined;
  readonly ip?: string | undefined;
  readonly requestId?: string | undefined;
  /** Whether the newest come first. */
  readonly isDescending?: boolean;
  /** Only events that follow the one with this id in that order. */
  readonly after?: number | undefined;
  readonly limit: number;
}

/** The two chains of the audit trail: changes are kept for ever, the oldest events of the security log are deleted. */
export const TRAILS = ['changes', 'security'] as const;

/** One of the chains. */
export type TrailName = (typeof TRAILS)[number];

/** The last row of a chain and its hash: whoever keeps it elsewhere can later see that nothing before it has changed. */
export interface TrailHead {
  readonly name: TrailName;
  readonly id: number;
  readonly hash: string;
}

/** What a check of a chain has found. */
export interface TrailCheck {
  readonly name: TrailName;
  /** How many rows there are, and how many of them are from before the chain began. */
  readonly rows: number;
  readonly unchained: number;
  /** How many rows carry a code made with the secret key, the first of them, and how many were erased. */
  readonly keyed: number;
  readonly keyedFrom: number | undefined;
  readonly erased: number;
  /** The heads kept elsewhere that this chain still has. */
  readonly found: readonly TrailHead[];
  /** The last row that the retention has deleted; 0 if it has deleted none. */
  readonly removedId: number;
  /** Undefined while the chain has no row. */
  readonly head: TrailHead | undefined;
  /** The first row that does not hold, and why; undefined if all do. `id` is 0 if it is not a row. */
  readonly broken: { readonly id: number; readonly why: string } | undefined;
}

/** A head as one word. */
export const formatHead = ({ name, id, hash }: TrailHead): string => `${name}:${id}:${hash}`;

/** A head as it was formatted; undefined for anything else. */
export function parseHead(text: string): TrailHead | undefined {
  const [, given, id, hash] = /^([a-z]+):(\d{1,10}):([\w-]{43})$/.exec(text.trim()) ?? [];
  const name = TRAILS.find((one) => one === given);
  return name === undefined || hash === undefined ? undefined : { name, id: Number(id), hash };
}
