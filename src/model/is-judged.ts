import type { KnownTarget } from './facts.ts';
import type { ProblemRef } from './problem.ts';
import { type ProblemKind, type ProblemName, problemCatalog } from './problem-catalog.ts';
import type { TargetState } from './snapshot.ts';
import { subjectKey } from './target.ts';
import type { CheckName } from './verdict.ts';

/** Whether the log of a target is still to be read for the first time, and nothing is known to keep it from that. */
export function isLogUnread({ target, facts: { logs } }: KnownTarget): boolean {
  const { file, container } = logs?.sources ?? {};
  const isNew = (source: typeof file) => source === undefined || (!source.up && source.fault === undefined);
  return (target.logFiles.length > 0 && isNew(file)) || (target.container !== undefined && isNew(container));
}

/** Whether a check of a target has not looked at anything since subnetd started: it never ran, or waits for its log. */
export const isUnread = (state: TargetState): boolean =>
  state.checks.some(
    ({ verdict, lastRun, round }) =>
      verdict === 'unknown' && (lastRun === undefined || (round === 'logs' && isLogUnread(state))),
  );

/** What shows whether a node takes part. */
const OF_PART: readonly CheckName[] = ['latest_block', 'container'];

/** Whether a node, and Docker about its container, has been asked since subnetd started: before that nobody knows whether it votes. */
export const isAsked = ({ checks }: TargetState): boolean =>
  checks.every(
    ({ check, verdict, lastRun }) => verdict !== 'unknown' || lastRun !== undefined || !OF_PART.includes(check),
  );

/** Is everything observed in which a known failure could show? Before that, and without Docker, its absence means nothing. */
function isObserved(state: TargetState): boolean {
  const { container, logs } = state.facts;
  const isLost = logs?.sources.container?.fault?.what === 'docker-unreachable';
  return (state.target.container === undefined || container?.inspected === true) && !isLogUnread(state) && !isLost;
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
