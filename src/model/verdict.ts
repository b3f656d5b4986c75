import type { WatchedMs } from '../lib/clock.ts';
import type { RoundName } from './target.ts';

/**
 * `pass`; `degraded`: passes, judged through a fallback or with less to see; `fail`; `unknown`: cannot be judged;
 * `skipped`: the inventory gives nothing to probe.
 */
export type Verdict = 'pass' | 'degraded' | 'fail' | 'unknown' | 'skipped';

/** What was seen, and what to do about it: two parts of one sentence, without its end. */
export interface Finding {
  readonly seen: string;
  readonly fix?: string;
}

/** A verdict, what was seen, and what to do. What fails or is degraded always says what to do. */
export type Judgement =
  | (Finding & { readonly verdict: Exclude<Verdict, 'degraded' | 'fail'> })
  | (Required<Finding> & { readonly verdict: 'degraded' })
  | (Required<Finding> & { readonly verdict: 'fail' });

// Each has both members: a judgement is spread over the one before it.
export const pass = (seen: string, fix?: string): Judgement => ({ verdict: 'pass', seen, fix });
export const degraded = (seen: string, fix: string): Judgement => ({ verdict: 'degraded', seen, fix });
export const fail = (seen: string, fix: string): Judgement => ({ verdict: 'fail', seen, fix });
export const unknown = (seen: string, fix?: string): Judgement => ({ verdict: 'unknown', seen, fix });
export const skipped = (seen: string, fix?: string): Judgement => ({ verdict: 'skipped', seen, fix });

/** A finding with something more to do. */
export const addFix = ({ seen, fix }: Finding, more: string): Required<Finding> => ({
  seen,
  fix: fix === undefined ? more : `${fix}; ${more}`,
});

/** The reason that people read: what was seen, and then because of what, unless that is what was seen, or what to do. */
export function formatReason({ seen, fix, cause }: Finding & { readonly cause?: string }): string {
  if (cause !== undefined) return seen.includes(cause) ? seen : `${seen}, because ${cause}`;
  return fix === undefined ? seen : `${seen}; ${fix}`;
}

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
export type CheckState = Judgement & {
  readonly check: CheckName;
  readonly round: RoundName;
  /** When the verdict became what it is. */
  readonly since: WatchedMs;
  readonly lastRun?: WatchedMs;
  readonly durationSeconds?: number;
  readonly runs: number;
  readonly failures: number;
};

/** A check and its runs, without what it was last judged to be. */
export type CheckRuns = Omit<CheckState, keyof Finding | 'verdict'>;

/**
 * The state of a check with a judgement. It is made as one object with every member, as tens of thousands are kept. Copies with
 * members added would take half as much memory again.
 */
export const toCheckState = (runs: CheckRuns, { verdict, seen, fix }: Judgement): CheckState =>
  ({
    check: runs.check,
    round: runs.round,
    verdict,
    seen,
    fix,
    since: runs.since,
    lastRun: runs.lastRun,
    durationSeconds: runs.durationSeconds,
    runs: runs.runs,
    failures: runs.failures,
    // Verdict and fix are of one judgement, which the compiler does not see.
  }) satisfies Record<keyof CheckState, unknown> as CheckState;

/** The state of a check that fails. */
export type FailedCheck = Extract<CheckState, { readonly verdict: 'fail' }>;
