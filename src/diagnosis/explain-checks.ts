import type { ExplainedCheck } from '../model/problem.ts';
import type { CheckName } from '../model/verdict.ts';
import type { TargetView } from './subnet-view.ts';

const NONE: readonly ExplainedCheck[] = [];

/** Those of the named checks of a target that fail. Mostly that is one or none, and thousands are asked. */
export function explain({ failing }: TargetView, ...names: readonly CheckName[]): readonly ExplainedCheck[] {
  let named = 0;
  for (const { check } of failing) if (names.includes(check)) named += 1;
  if (named === 0) return NONE;
  return named === failing.length ? failing : failing.filter(({ check }) => names.includes(check));
}

/** The same of many targets. Most checks of thousands pass. */
export function explainEach(targets: readonly TargetView[], ...names: readonly CheckName[]): readonly ExplainedCheck[] {
  const explained: ExplainedCheck[] = [];
  for (const { failing } of targets) for (const each of failing) if (names.includes(each.check)) explained.push(each);
  return explained;
}

/** All checks of a target that fail, but for submissions: without them the relayer pages, whatever their cause. */
export const explainAll = ({ failing }: TargetView): readonly ExplainedCheck[] =>
  failing.filter(({ check }) => check !== 'submissions');

/** The checks of services that fail when the node that the service reads from does. */
export const BY_NODE: readonly CheckName[] = ['submissions', 'block_data', 'history_data'];
