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

/** A reason says what was seen, and after the first semicolon what to do. */
export function splitReason(reason: string): { readonly seen: string; readonly fix: string } {
  const at = reason.indexOf('; ');
  return at < 0 ? { seen: reason, fix: '' } : { seen: reason.slice(0, at), fix: reason.slice(at + 2) };
}
