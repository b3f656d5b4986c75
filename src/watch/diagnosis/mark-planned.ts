import { findPlanned, type Planned, type PlannedWork } from '../../model/planned-work.ts';
import { isMuted, isStanding, type Problem } from '../../model/problem.ts';
import type { ProblemIndex } from './problem-index.ts';

/** The work that covers a problem: its subject, or each of the nodes that bring it. What ends first then counts. */
function findCover(inForce: readonly PlannedWork[], problem: Problem): Planned | undefined {
  const own = findPlanned(inForce, problem);
  const { nodes = [] } = problem;
  if (own !== undefined || nodes.length === 0) return own;
  const covers = nodes.flatMap((name) => findPlanned(inForce, { component: 'node', name }) ?? []);
  if (covers.length < nodes.length) return undefined;
  return covers.reduce((first, one) => (one.until < first.until ? one : first));
}

/** The problems with the planned work that is in force in their subnet; `before` are those of the last diagnosis. */
export function markPlanned(
  problems: readonly Problem[],
  before: ProblemIndex<Problem>,
  inForce: readonly PlannedWork[],
): readonly Problem[] {
  const mark = (problem: Problem): Problem => {
    const known = before.get(problem);
    const cover = findCover(inForce, problem);
    if (cover !== undefined) {
      const wasOpenBefore = known !== undefined && isStanding(known) && !isMuted(known);
      return { ...problem, planned: { ...cover, mutes: !wasOpenBefore } };
    }
    // What is not found any more when the work ends is fixed.
    const isFixed = problem.state === 'clearing' && known !== undefined && isMuted(known);
    const planned = isFixed ? known.planned : undefined;
    return problem.planned === planned ? problem : { ...problem, planned };
  };
  return inForce.length === 0 && !before.values.some(({ planned }) => planned) ? problems : problems.map(mark);
}
