import type { ProblemRef } from './problem.ts';
import { type ProblemKind, type ProblemName, problemCatalog } from './problem-catalog.ts';
import type { TargetState } from './snapshot.ts';
import { hasLog, subjectKey } from './target.ts';

/** Is everything observed in which a known failure could show? Before that, and without Docker, its absence means nothing. */
function isObserved({ target, facts }: TargetState): boolean {
  const isLost = facts.logs?.sources.container?.fault?.what === 'docker-unreachable';
  return (
    (target.container === undefined || facts.container?.inspected === true) &&
    (!hasLog(target) || (facts.logs !== undefined && !isLost))
  );
}

/** Can it be said now whether a target has a problem? False while all of its checks that show it are unknown. */
export function isJudgedFor(state: TargetState, problem: ProblemName): boolean {
  const { judgedBy, isProbed }: ProblemKind = problemCatalog[problem];
  if (isProbed) return true;
  if (judgedBy.length === 0) return isObserved(state);
  const shown = state.checks.filter(({ check, verdict }) => verdict !== 'skipped' && judgedBy.includes(check));
  return shown.length === 0 || shown.some(({ verdict }) => verdict !== 'unknown');
}

/** Can it be said of any of these targets whether it has a problem? */
export const isJudged = (subjects: readonly TargetState[], problem: ProblemName): boolean =>
  subjects.some((state) => isJudgedFor(state, problem));

type Subject = Pick<ProblemRef, 'component' | 'name'>;

/** What a problem or a check is about, among the targets of its subnet: a target, or all nodes; empty when it is not watched. */
export type SubjectsOf = (subject: Subject) => readonly TargetState[];

/** Indexes targets by key, as each of thousands of problems looks for its own. Mostly there is none, and no index is made. */
export function indexSubjects(targets: readonly TargetState[]): SubjectsOf {
  let byKey: ReadonlyMap<string, readonly TargetState[]> | undefined;
  return (subject) => {
    if (subject.name === undefined) return targets.filter(({ target }) => target.component === 'node');
    byKey ??= new Map(targets.map((state) => [subjectKey(state.target), [state]]));
    return byKey.get(subjectKey(subject)) ?? [];
  };
}
