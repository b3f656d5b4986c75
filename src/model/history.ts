import type { WallMs, WatchedMs } from '../lib/clock.ts';
import type { Snapshot } from './snapshot.ts';
import type { Component, Target } from './target.ts';
import type { RangeName } from './time-range.ts';
import type { CheckName } from './verdict.ts';

/** How long a target was in each state within a time, in milliseconds; what is missing of the time was not watched. */
export interface Uptime {
  /** All of its checks passed, or saw less than they could. */
  readonly ok: number;
  /** A check failed. */
  readonly fail: number;
  /** Nothing could be judged. */
  readonly unseen: number;
  /** A check failed in a time that somebody had announced. */
  readonly planned: number;
}

/** All parts, in the order in which they are kept. */
export const UPTIME_PARTS = ['ok', 'fail', 'unseen', 'planned'] as const satisfies readonly (keyof Uptime)[];

/** Blocks within one minute, as far as they were counted. */
export interface Minute {
  /** Its start. */
  readonly at: WallMs;
  readonly blocks: number;
  /** How many blocks were not final at its end. */
  readonly gap?: number;
}

/** A value for each step of a range, the oldest first; undefined where it is not known. */
export type Steps = readonly (number | undefined)[];

/** A target step by step. */
export interface TargetSteps {
  /** How many milliseconds half of its answered probes took at most; infinite when none was answered. */
  readonly p50: Steps;
  /** Same of 95 %. */
  readonly p95: Steps;
  /** How many blocks a node that answers was below the height that half of the nodes have, at most. */
  readonly lag: Steps;
  /** How many rounds its masternode missed. */
  readonly missed: Steps;
}

/** A subnet step by step. */
export interface SubnetSteps {
  /** Blocks a minute, on average. */
  readonly blocks: Steps;
  /** How many blocks were not final at the end of a minute, at most. */
  readonly gap: Steps;
  /** What the wallet of the relayer held last. */
  readonly coins: Steps;
}

/** All steps of a target, of a whole subnet, or of a masternode that no node of the inventory runs, as they are stored. */
export interface StepsRow {
  readonly subnet: string;
  readonly component: Component | 'subnet' | 'masternode';
  /** Empty for a subnet, an address for a masternode. */
  readonly name: string;
  /** The newest minute that is in them. */
  readonly newest: WallMs;
  readonly cells: string;
}

/** What a check was within half an hour, or in one probe: it passed, passed in part of it, failed, or nobody knows. */
export type CheckBar = 'up' | 'part' | 'down' | 'none';

/** The history of one check, the oldest first: 24 hours in half-hours, and what its last probes found. */
export interface CheckHistory {
  readonly halfHours: readonly CheckBar[];
  readonly probes: readonly CheckBar[];
}

/** The history of one target, the oldest first: 24 hours and 30 days; undefined where nobody looked. */
export interface TargetHistory {
  readonly hours: readonly (Uptime | undefined)[];
  readonly days: readonly (Uptime | undefined)[];
  /** What its last probes found, the oldest first. */
  readonly probes?: readonly CheckBar[];
}

/** The lengths of time by which uptimes are added up, in UTC. */
export type Span = 'hour' | 'day';

/** The uptime of a target within an hour or a day. */
export interface UptimeRow extends Uptime {
  readonly subnet: string;
  readonly component: Component;
  readonly name: string;
  readonly span: Span;
  /** Its start. */
  readonly start: WallMs;
}

/** A minute of a subnet. */
export interface PaceRow extends Minute {
  readonly subnet: string;
}

/** A change of a check's verdict, a problem's state, a container, the image it runs, a masternode, the inventory, or a setting. */
export interface HistoryChange {
  readonly at: WallMs;
  readonly subnet: string;
  /** Absent for a problem of the whole subnet, as `name` is. */
  readonly component?: Component;
  readonly name?: string;
  readonly kind: 'check' | 'problem' | 'container' | 'version' | 'masternode' | 'inventory' | 'setting';
  /** The name of the check, problem, container or setting, or the address of the masternode. */
  readonly what: string;
  /** The verdict of a check; of a problem `none`, `open`, `clearing` or `ended`; Docker's status of a container; an image. */
  readonly was: string;
  readonly is: string;
  /** What was seen, in words; without secrets. */
  readonly reason: string;
}

/** A stored change; of two at the same moment, the later one has the higher id. */
export interface StoredChange extends HistoryChange {
  readonly id: number;
}

/** What to read: of one subnet, of targets with one name, from a time on, and before a time. */
export interface HistoryQuery {
  readonly subnet?: string | undefined;
  /** Of any of these. */
  readonly subnets?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly from?: WallMs | undefined;
  readonly to?: WallMs | undefined;
  readonly limit: number;
}

/** From when on each part is kept, and how many changes at most. */
export interface Retention {
  readonly changes: WallMs;
  readonly most: number;
  readonly days: WallMs;
  readonly hours: WallMs;
  readonly minutes: WallMs;
  readonly steps: WallMs;
}

/** The history of one instance of subnetd in a database. Every function rejects when the database fails. */
export interface HistoryStore {
  /** Adds the times to those that are stored. */
  addTimes(uptimes: readonly UptimeRow[]): Promise<void>;
  addMinutes(minutes: readonly PaceRow[]): Promise<void>;
  addChanges(changes: readonly HistoryChange[]): Promise<void>;
  /** Writes steps in place of those that are stored. */
  putSteps(rows: readonly StepsRow[]): Promise<void>;
  /** The steps of some subnets and their targets. */
  steps(subnets: readonly string[]): Promise<readonly StepsRow[]>;
  /** All uptimes of the hour or day that starts then, or those of some subnets. */
  uptimesAt(span: Span, start: WallMs, subnets?: readonly string[]): Promise<readonly UptimeRow[]>;
  /** The minutes from a time on, the oldest first, or those of some subnets. */
  minutesFrom(from: WallMs, subnets?: readonly string[]): Promise<readonly PaceRow[]>;
  /** The newest first; `before` is the last one that was read. */
  changes(
    query: HistoryQuery & { readonly before?: Pick<StoredChange, 'at' | 'id'> | undefined },
  ): Promise<readonly StoredChange[]>;
  /** Uptimes of days: one target after the other, the oldest day of each first. */
  days(query: HistoryQuery): Promise<readonly UptimeRow[]>;
  /** Deletes a slice of what is older, of every instance. Resolves to whether there is more. */
  trim(keep: Retention): Promise<boolean>;
}

/** What happened to the subnets over time. */
export interface History {
  /**
   * Adds what a snapshot shows to the watched time that has passed since the last one, in the hour and the day of `at` in wall
   * time.
   */
  record(snapshot: Snapshot, at: WallMs, watchedMs: WatchedMs): void;
  minutesOf(subnet: string): readonly Minute[];
  historyOf(target: Target, at: number): TargetHistory;
}

/** How subnets and targets were within the steps of a range that ends at a time. */
export interface StepHistory {
  stepsOf(subnet: string, range: RangeName, at: WallMs): SubnetSteps;
  targetStepsOf(target: Target, range: RangeName, at: WallMs): TargetSteps;
  /** The rounds that the masternodes of a subnet missed which no node of the inventory runs, by address. */
  strangersOf(
    subnet: string,
    range: RangeName,
    at: WallMs,
  ): readonly { readonly name: string; readonly missed: Steps }[];
}

/** What happened lately; in memory alone. */
export interface RecentHistory {
  checkHistoryOf(target: Target, check: CheckName, at: number): CheckHistory;
  /** What changed in a subnet in the last hour, the oldest first. */
  changesOf(subnet: string, at: number): readonly HistoryChange[];
  /** Whether what earlier processes have stored of a subnet was read, or nothing is stored. Until then only what this one saw is there. */
  isPastRead(subnet: string): boolean;
}
