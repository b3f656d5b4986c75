import type { ExplainedCheck } from '../model/problem.ts';
import type { TargetState } from '../model/snapshot.ts';
import type { CheckName } from '../model/verdict.ts';

/** Those of the named checks of a target that fail. */
export const explain = ({ target, checks }: TargetState, ...names: readonly CheckName[]): readonly ExplainedCheck[] =>
  checks.flatMap(({ check, verdict }) =>
    verdict === 'fail' && names.includes(check) ? [{ component: target.component, name: target.name, check }] : [],
  );

/** All checks of a target that fail, but for submissions: without them the relayer pages, whatever their cause. */
export const explainAll = (state: TargetState): readonly ExplainedCheck[] =>
  explain(state, ...state.checks.flatMap(({ check }) => (check === 'submissions' ? [] : [check])));
