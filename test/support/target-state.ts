import type { Facts } from '../../src/model/facts.ts';
import type { TargetState } from '../../src/model/snapshot.ts';
import type { Target } from '../../src/model/target.ts';
import type { CheckName, Verdict } from '../../src/model/verdict.ts';

/** What each check of a target says. */
export type Verdicts = Readonly<Partial<Record<CheckName, Verdict>>>;

/** A target on the board whose checks say this. `lastRun`: when they ran last. */
export const targetState = (
  target: Target,
  verdicts: Verdicts,
  { facts = {}, lastRun }: { readonly facts?: Facts; readonly lastRun?: number | undefined } = {},
): TargetState => ({
  target,
  facts,
  failures: [],
  shownFailures: [],
  checks: Object.entries(verdicts).map(([check, verdict]) => ({
    check: check as CheckName,
    round: check === 'http' ? 'services' : check === 'container' ? 'containers' : 'rpc',
    verdict,
    seen: '',
    fix: '',
    since: 0,
    runs: 1,
    failures: 0,
    ...(lastRun !== undefined && { lastRun }),
  })),
});
