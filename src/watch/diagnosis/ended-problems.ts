import { indexSubjects, type SubjectsOf } from '../../model/is-judged.ts';
import type { EndedProblem, ExplainedCheck, Problem } from '../../model/problem.ts';
import { problemCatalog } from '../../model/problem-catalog.ts';
import type { TargetState } from '../../model/snapshot.ts';
import type { CheckState } from '../../model/verdict.ts';
import { checkOf } from './subnet-view.ts';

/** At most this many ended problems are kept for each subnet, the newest ones. */
const MAX_ENDED = 200;

/** Whether an ended problem that comes back now is the same one. It is for as long as it had to be absent to be over. */
export const mayReopen = ({ problem, endedAt }: EndedProblem, now: number): boolean =>
  now - endedAt < problemCatalog[problem].clearMs;

/**
 * When the reason why a check fails was last seen. That is its last run, but for `logs`: it fails by errors in lines, each of
 * which is read once. Other checks of a log fail by what is missing in it, too.
 */
function failureSeenAt({ facts }: TargetState, { check, lastRun }: CheckState): number | undefined {
  if (check !== 'logs') return lastRun;
  let newest: number | undefined;
  for (const { means, at } of Object.values(facts.logs?.patterns ?? {}))
    if ((means === 'error' || means === 'fatal') && at > (newest ?? Number.NEGATIVE_INFINITY)) newest = at;
  return newest ?? lastRun;
}

/** The checks that still fail for a reason that was last seen at `until` or before. */
const findUnobserved = (
  explains: readonly ExplainedCheck[],
  until: number,
  subjectsOf: SubjectsOf,
): readonly ExplainedCheck[] =>
  explains.filter((each) =>
    subjectsOf(each).some((state) => {
      const check = checkOf(state, each.check);
      return check?.verdict === 'fail' && (failureSeenAt(state, check) ?? Number.POSITIVE_INFINITY) <= until;
    }),
  );

/** A problem that is over now. What it explained stays explained until it is observed again. */
export const toEnded = (
  { problem, component, name, about, summary, since, seenAt, openedAt, explains }: Problem,
  subjectsOf: SubjectsOf,
  now: number,
): EndedProblem => ({
  problem,
  component,
  name,
  about,
  summary,
  since,
  seenAt,
  openedAt,
  endedAt: now,
  explains: findUnobserved(explains, seenAt, subjectsOf),
});

/** The ended problems without the checks that have been observed again. */
export function dropObserved(ended: readonly EndedProblem[], targets: readonly TargetState[]): readonly EndedProblem[] {
  if (ended.every(({ explains }) => explains.length === 0)) return ended;
  const subjectsOf = indexSubjects(targets);
  return ended.map((one) => ({ ...one, explains: findUnobserved(one.explains, one.seenAt, subjectsOf) }));
}

/** The ended problems that still matter: they may come back, or explain something. */
export const keepEnded = (ended: readonly EndedProblem[], now: number): readonly EndedProblem[] =>
  ended.filter((one) => mayReopen(one, now) || one.explains.length > 0).slice(-MAX_ENDED);
