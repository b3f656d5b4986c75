import { indexSubjects, isJudged, type SubjectsOf } from '../model/is-judged.ts';
import { type EndedProblem, isStanding, type Problem, type Suspicion } from '../model/problem.ts';
import { problemCatalog } from '../model/problem-catalog.ts';
import type { TargetState } from '../model/snapshot.ts';
import { checkOf } from './subnet-view.ts';

/** A suspicion that was not judged for longer than this starts again: what happened in between is unknown. */
const UNSEEN_MS = 60_000;

const SEVERITIES = ['critical', 'warning', 'info'] as const;

/** As many ended problems are kept for each subnet, the newest ones. */
const MAX_ENDED = 200;

/** The problems of a subnet, and those that were over a short time ago. */
export interface Followed {
  readonly problems: readonly Problem[];
  readonly ended: readonly EndedProblem[];
}

/** Whether an ended problem may still come back as the same one: for as long as it had to be absent to be over. */
const mayReopen = ({ problem, endedAt }: EndedProblem, now: number): boolean =>
  now - endedAt < problemCatalog[problem].clearMs;

function raise(before: Problem | undefined, ended: EndedProblem | undefined, found: Suspicion, now: number): Problem {
  const { severity, alert, confirmMs } = problemCatalog[found.problem];
  if (ended !== undefined && before === undefined && ended.about === found.about && mayReopen(ended, now)) {
    const { since, openedAt = now } = ended;
    return { ...found, severity, alert, state: 'open', since, seenAt: now, openedAt };
  }
  const isOther = before?.about !== found.about;
  const isNew =
    before === undefined ||
    (!isStanding(before) && (isOther || now - before.seenAt > UNSEEN_MS)) ||
    // What it was about is over, and this must be confirmed by itself.
    (before.state === 'clearing' && isOther);
  // A clock that was set back must not delay a problem.
  const since = isNew ? now : Math.min(before.since, now);
  const openedAt = isNew ? undefined : before.openedAt;
  if (openedAt === undefined && Math.max(now - since, found.lastedMs ?? 0) < confirmMs)
    return { ...found, severity, alert, since, seenAt: now, state: 'suspected' };
  return { ...found, severity, alert, since, seenAt: now, state: 'open', openedAt: openedAt ?? now };
}

/** A problem that is not found any more; undefined when it is over. */
function clear(before: Problem, subjectsOf: SubjectsOf, now: number): Problem | undefined {
  if (!isStanding(before)) return undefined;
  const subjects = subjectsOf(before);
  if (subjects.length === 0) return undefined;
  if (!isJudged(subjects, before.problem)) return before;
  const clearingSince = Math.min(before.clearingSince ?? now, now);
  if (now - clearingSince >= problemCatalog[before.problem].clearMs) return undefined;
  // A check that has recovered since is not explained when it fails again.
  const explains = before.explains.filter((each) =>
    subjectsOf(each).some((state) => checkOf(state, each.check)?.verdict === 'fail'),
  );
  return { ...before, explains, state: 'clearing', clearingSince };
}

const toEnded = (key: string, { problem, about, since, openedAt }: Problem, now: number): EndedProblem => ({
  ...{ key, problem, about, since, openedAt },
  endedAt: now,
});

const byUrgency = (one: Problem, other: Problem): number =>
  SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) || one.since - other.since;

/**
 * The problems of a subnet after `found` at `now`, the worst first; `known` and `found` by their keys. What cannot be judged now
 * stays as it is.
 */
export function followProblems(
  known: ReadonlyMap<string, Problem>,
  endedBefore: readonly EndedProblem[],
  found: ReadonlyMap<string, Suspicion>,
  targets: readonly TargetState[],
  now: number,
): Followed {
  const ended = new Map(endedBefore.map((one) => [one.key, one]));
  const problems: Problem[] = [];
  for (const [key, one] of found) {
    problems.push(raise(known.get(key), ended.get(key), one, now));
    ended.delete(key);
  }
  const gone = [...known].filter(([key]) => !found.has(key));
  const subjectsOf = gone.length === 0 ? () => [] : indexSubjects(targets);
  for (const [key, one] of gone) {
    const left = clear(one, subjectsOf, now);
    if (left !== undefined) problems.push(left);
    else if (isStanding(one) && subjectsOf(one).length > 0) ended.set(key, toEnded(key, one, now));
  }
  return {
    problems: problems.sort(byUrgency),
    ended: [...ended.values()].filter((one) => mayReopen(one, now)).slice(-MAX_ENDED),
  };
}
