import { isJudged, isWatched } from '../model/is-judged.ts';
import { type ExplainedCheck, isStanding, type Problem, problemKey, type Suspicion } from '../model/problem.ts';
import { problemCatalog } from '../model/problem-catalog.ts';
import type { TargetState } from '../model/snapshot.ts';

/** A suspicion that was not judged for longer than this starts again: what happened in between is unknown. */
const UNSEEN_MS = 60_000;

const SEVERITIES = ['critical', 'warning', 'info'] as const;

function raise(before: Problem | undefined, found: Suspicion, now: number): Problem {
  const { severity, alert, confirmMs } = problemCatalog[found.problem];
  const isChanged = before?.about !== found.about || now - (before?.seenAt ?? 0) > UNSEEN_MS;
  const isNew = before === undefined || (!isStanding(before) && isChanged);
  // A clock that was set back must not delay a problem.
  const since = isNew ? now : Math.min(before.since, now);
  const base = { ...found, severity, alert, since, seenAt: now };
  const openedAt = isNew ? undefined : before.openedAt;
  if (openedAt === undefined && now - since < confirmMs) return { ...base, state: 'suspected' };
  return { ...base, state: 'open', openedAt: openedAt ?? now };
}

/** A check that has recovered since is not explained when it fails again. */
const isFailing = (targets: readonly TargetState[], { component, name, check }: ExplainedCheck): boolean =>
  targets.some(
    ({ target, checks }) =>
      target.component === component &&
      target.name === name &&
      checks.some((one) => one.check === check && one.verdict === 'fail'),
  );

/** A problem that is not found any more; undefined when it is over. */
function clear(before: Problem, targets: readonly TargetState[], now: number): Problem | undefined {
  if (!isStanding(before) || !isWatched(targets, before)) return undefined;
  if (!isJudged(targets, before)) return before;
  const clearingSince = Math.min(before.clearingSince ?? now, now);
  if (now - clearingSince >= problemCatalog[before.problem].clearMs) return undefined;
  const explains = before.explains.filter((each) => isFailing(targets, each));
  return { ...before, explains, state: 'clearing', clearingSince };
}

const byUrgency = (one: Problem, other: Problem): number =>
  SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) || one.since - other.since;

/** The problems of a subnet after `found` at `now`, the worst first. What cannot be judged now stays as it is. */
export function followProblems(
  before: readonly Problem[],
  found: readonly Suspicion[],
  targets: readonly TargetState[],
  now: number,
): readonly Problem[] {
  const known = new Map(before.map((problem) => [problemKey(problem), problem]));
  const raised = found.map((one) => raise(known.get(problemKey(one)), one, now));
  for (const one of found) known.delete(problemKey(one));
  const cleared = [...known.values()].flatMap((problem) => clear(problem, targets, now) ?? []);
  return [...raised, ...cleared].sort(byUrgency);
}
