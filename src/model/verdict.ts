import type { WatchedMs } from './clock.ts';
import type { RoundName } from './target.ts';

/**
 * `pass`; `degraded`: passes, judged through a fallback or with less to see; `fail`; `unknown`: cannot be judged;
 * `skipped`: the inventory gives nothing to probe.
 */
export type Verdict = 'pass' | 'degraded' | 'fail' | 'unknown' | 'skipped';

/** A verdict and one sentence that says what was seen and what to do. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly reason: string;
}

export const pass = (reason: string): Judgement => ({ verdict: 'pass', reason });
export const degraded = (reason: string): Judgement => ({ verdict: 'degraded', reason });
export const fail = (reason: string): Judgement => ({ verdict: 'fail', reason });
export const unknown = (reason: string): Judgement => ({ verdict: 'unknown', reason });
export const skipped = (reason: string): Judgement => ({ verdict: 'skipped', reason });

/** The names of the checks: the values of the label `check`. */
export type CheckName =
  | 'latest_block'
  | 'peers'
  | 'log_block'
  | 'messages'
  | 'submissions'
  | 'block_data'
  | 'history_data'
  | 'logs'
  | 'http'
  | 'console'
  | 'container';

/** The state of one check of one target; the duration in seconds. */
export interface CheckState extends Judgement {
  readonly check: CheckName;
  readonly round: RoundName;
  /** When the verdict became what it is. */
  readonly since: WatchedMs;
  readonly lastRun?: WatchedMs;
  readonly durationSeconds?: number;
  readonly runs: number;
  readonly failures: number;
}
