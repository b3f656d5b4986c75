import type { ExplainedCheck } from '../model/problem.ts';
import type { TargetState } from '../model/snapshot.ts';
import type { CheckName } from '../model/verdict.ts';

const NONE: readonly ExplainedCheck[] = [];

/** Most checks of thousands pass: only those that fail cost an array. */
function explainFailing(
  { target: { component, name }, checks }: TargetState,
  isWanted: (check: CheckName) => boolean,
): readonly ExplainedCheck[] {
  let failing: ExplainedCheck[] | undefined;
  for (const { check, verdict } of checks) {
    if (verdict !== 'fail' || !isWanted(check)) continue;
    failing ??= [];
    failing.push({ component, name, check });
  }
  return failing ?? NONE;
}

/** Those of the named checks of a target that fail. */
export const explain = (state: TargetState, ...names: readonly CheckName[]): readonly ExplainedCheck[] =>
  explainFailing(state, (check) => names.includes(check));

/** All checks of a target that fail, but for submissions: without them the relayer pages, whatever their cause. */
export const explainAll = (state: TargetState): readonly ExplainedCheck[] =>
  explainFailing(state, (check) => check !== 'submissions');

/** The checks of services that fail when the node that the service reads from does. */
export const BY_NODE: readonly CheckName[] = ['submissions', 'block_data', 'history_data'];
