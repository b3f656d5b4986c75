import type { KnownTarget } from '../../src/model/facts.ts';
import { roundOf } from '../../src/model/prober.ts';
import type { TargetState } from '../../src/model/snapshot.ts';
import { skipped } from '../../src/model/verdict.ts';
import { checksFor } from '../../src/watch/rules/checks.ts';
import { listHeardNodes } from '../../src/watch/rules/judge-messages.ts';
import { judgeFailures } from '../../src/watch/rules/known-failures.ts';
import { aView, settings } from './views.ts';

/** Targets with the verdicts that their facts give at `now`, by the real rules. */
export const judgeTargets = (targets: readonly KnownTarget[], now: number): readonly TargetState[] =>
  targets.map((known): TargetState => {
    const { target, facts } = known;
    const others = targets.filter((other) => other !== known);
    const view = aView(target, facts, { now, others });
    return {
      target,
      facts,
      checks: checksFor(target).map(([check, { kindOf, judge, skippedBecause }]) => {
        const because = skippedBecause(target, settings);
        const judgement = because === undefined ? judge(view) : skipped(because.seen, because.fix);
        return {
          check,
          round: roundOf[kindOf(target)](target),
          ...judgement,
          since: 0,
          lastRun: now,
          runs: 1,
          failures: 0,
        };
      }),
      ...judgeFailures(target, facts, now),
      ...(target.component === 'bootnode' && {
        heardNodes: listHeardNodes(targets, now, settings.logs.bootnodeWindowMs),
      }),
    };
  });
