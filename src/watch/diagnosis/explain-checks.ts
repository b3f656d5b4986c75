import type { ExplainedCheck } from '../../model/problem.ts';
import type { CheckName } from '../../model/verdict.ts';
import type { TargetView } from './subnet-view.ts';

const NONE: readonly ExplainedCheck[] = [];

/** The failing ones of the named checks of a target. Made without a copy where possible: each of thousands of targets is asked. */
export function explain({ failing }: TargetView, ...names: readonly CheckName[]): readonly ExplainedCheck[] {
  let named = 0;
  for (const { check } of failing) if (names.includes(check)) named += 1;
  if (named === 0) return NONE;
  return named === failing.length ? failing : failing.filter(({ check }) => names.includes(check));
}

/** The failing ones of the named checks of many targets. */
export function explainEach(targets: readonly TargetView[], ...names: readonly CheckName[]): readonly ExplainedCheck[] {
  const explained: ExplainedCheck[] = [];
  for (const { failing } of targets) for (const each of failing) if (names.includes(each.check)) explained.push(each);
  return explained;
}

/** All failing checks of a target but its submissions: a relayer that does not submit pages by itself, whatever the cause. */
export const explainAll = ({ failing }: TargetView): readonly ExplainedCheck[] =>
  failing.filter(({ check }) => check !== 'submissions');

/** The checks of services that fail when the node that the service reads from does. */
export const READ_FROM_NODE: readonly CheckName[] = ['submissions', 'block_data', 'history_data'];
