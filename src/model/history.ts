import type { WallMs } from './clock.ts';
import type { Snapshot } from './snapshot.ts';
import type { Target } from './target.ts';

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

/** Blocks within one minute, as far as they were counted. */
export interface Minute {
  /** Its start. */
  readonly at: WallMs;
  readonly blocks: number;
  /** How many blocks were not final at its end. */
  readonly gap?: number;
}

/** The history of one target, the oldest first: 24 hours and 30 days; undefined where nobody looked. */
export interface TargetHistory {
  readonly hours: readonly (Uptime | undefined)[];
  readonly days: readonly (Uptime | undefined)[];
}

/** What happened to the subnets over time. */
export interface History {
  /** Adds what a snapshot shows to the time that has passed since the last one; `at` is wall time. */
  record(snapshot: Snapshot, at: number): void;
  minutesOf(subnet: string): readonly Minute[];
  historyOf(target: Target, at: number): TargetHistory;
}
