import type { Suspicion } from '../../model/problem.ts';
import { formatSkew, isSkewed, zoneMs } from '../rules/clock-skew.ts';
import { explain } from './explain-checks.ts';
import { isStopped, type NodeView, type SubnetView } from './subnet-view.ts';

/** The one in the middle; of two in the middle the one nearer to us. */
function middleOf(aheadMs: readonly number[]): number {
  const sorted = aheadMs.toSorted((one, other) => one - other);
  const [low = 0, high = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return Math.abs(low) <= Math.abs(high) ? low : high;
}

/**
 * Nodes whose clock differs from that of most machines, ours included, by the times in their logs. Times that are whole
 * quarters of an hour apart are another time zone, not another time.
 */
export function findClockProblems({ nodes }: SubnetView): readonly Suspicion[] {
  const known: { readonly node: NodeView; readonly aheadMs: number }[] = [];
  for (const node of nodes) {
    const aheadMs = node.state.facts.logs?.clockAheadMs;
    if (aheadMs !== undefined && !isStopped(node) && zoneMs(aheadMs) === undefined) known.push({ node, aheadMs });
  }
  // Of two clocks nobody can say which is wrong.
  if (known.length < 2 || !known.some(({ aheadMs }) => isSkewed(aheadMs))) return [];
  const middle = middleOf([0, ...known.map(({ aheadMs }) => aheadMs)]);
  return known.flatMap(({ node, aheadMs }) => {
    if (!isSkewed(aheadMs - middle)) return [];
    const { name } = node;
    return [
      {
        problem: 'node_clock_skewed',
        component: 'node',
        name,
        summary: `the clock of ${name} is wrong`,
        evidence: `by the times in its log, the clock of ${name} is ${formatSkew(aheadMs - middle)} those of the other machines`,
        fix: `set the clock of its machine, as with \`chronyc makestep\`, and see that it stays right; until then rounds time out`,
        explains: explain(node, 'log_block'),
        causes: [],
      },
    ];
  });
}
