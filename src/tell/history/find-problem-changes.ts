import type { HistoryChange } from '../../model/history.ts';
import { isStanding, type Problem, problemKey } from '../../model/problem.ts';
import { type ChangeMoment, type Subject, toReason } from './change-subject.ts';

const aboutProblem = (subnet: string, { problem, component, name }: Problem): Subject => ({
  subnet,
  ...(component !== undefined && { component }),
  ...(name !== undefined && { name }),
  kind: 'problem',
  what: problem,
});

const reasonOf = ({ summary, evidence }: Problem): string => toReason(`${summary}: ${evidence}`);

/** Whether the problems of a subnet are as they were, apart from their words and times. */
export function isSameProblems(before: readonly Problem[], current: readonly Problem[]): boolean {
  if (before === current) return true;
  if (before.length !== current.length) return false;
  for (const [index, { problem, component, name, state }] of current.entries()) {
    const was = before[index];
    if (was?.problem !== problem || was.component !== component || was.name !== name || was.state !== state)
      return false;
  }
  return true;
}

function findChange(
  subnet: string,
  problem: Problem,
  was: string,
  { toWall }: ChangeMoment,
): HistoryChange | undefined {
  const { state, since, openedAt = since, clearingSince, seenAt } = problem;
  if (was === state) return undefined;
  const changedAt = state === 'clearing' ? (clearingSince ?? openedAt) : was === 'clearing' ? seenAt : openedAt;
  return {
    at: toWall(changedAt),
    ...aboutProblem(subnet, problem),
    was: was === 'ended' ? 'none' : was,
    is: state,
    reason: reasonOf(problem),
  };
}

/** What has changed between two lists of the problems of a subnet. */
export function findProblemChanges(
  subnet: string,
  before: readonly Problem[],
  current: readonly Problem[],
  moment: ChangeMoment,
): readonly HistoryChange[] {
  const { at, takeBefore } = moment;
  const known = new Map(before.filter(isStanding).map((problem) => [problemKey(problem), problem]));
  const changes: HistoryChange[] = [];
  for (const problem of current.filter(isStanding)) {
    const stored = takeBefore(aboutProblem(subnet, problem));
    const was = known.get(problemKey(problem))?.state ?? stored?.is ?? 'none';
    const change = findChange(subnet, problem, was, moment);
    if (change !== undefined) changes.push(change);
    known.delete(problemKey(problem));
  }
  for (const problem of known.values())
    changes.push({
      at,
      ...aboutProblem(subnet, problem),
      was: problem.state,
      is: 'ended',
      reason: reasonOf(problem),
    });
  return changes;
}
