import type { ProblemRef } from './problem.ts';
import { type ProblemKind, type ProblemName, problemCatalog } from './problem-catalog.ts';
import type { TargetState } from './snapshot.ts';

/** Is everything observed in which a known failure could show? Before that, and without Docker, its absence means nothing. */
function isObserved({ target, facts }: TargetState): boolean {
  const hasLog = target.container !== undefined || target.logFiles.length > 0;
  const isLost = facts.logs?.sources.container?.fault?.what === 'docker-unreachable';
  return (
    (target.container === undefined || facts.container?.inspected === true) &&
    (!hasLog || (facts.logs !== undefined && !isLost))
  );
}

/** Can it be said now whether a target has a problem? False while all of its checks that show it are unknown. */
export function isJudgedFor(state: TargetState, problem: ProblemName): boolean {
  const { judgedBy }: ProblemKind = problemCatalog[problem];
  if (judgedBy.length === 0) return isObserved(state);
  const shown = state.checks.filter(({ check, verdict }) => verdict !== 'skipped' && judgedBy.includes(check));
  return shown.length === 0 || shown.some(({ verdict }) => verdict !== 'unknown');
}

/** What a problem is about, among the targets of its subnet: a target, or all nodes. */
const subjectsOf = (targets: readonly TargetState[], { component, name }: ProblemRef): readonly TargetState[] =>
  targets.filter(({ target }) =>
    name === undefined ? target.component === 'node' : target.component === component && target.name === name,
  );

/** Can it be said now whether a problem is there? */
export const isJudged = (targets: readonly TargetState[], ref: ProblemRef): boolean =>
  subjectsOf(targets, ref).some((state) => isJudgedFor(state, ref.problem));

/** Is what a problem is about still watched? */
export const isWatched = (targets: readonly TargetState[], ref: ProblemRef): boolean =>
  subjectsOf(targets, ref).length > 0;
