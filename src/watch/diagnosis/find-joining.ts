import type { Problem } from '../../model/problem.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import { START_MS } from '../../model/restart-cause.ts';
import type { ProblemIndex } from './problem-index.ts';
import type { NodeView } from './subnet-view.ts';

/** After one of these is over, a node still has to find its peers and to take the blocks that it has missed; after a halt all nodes. */
const RECOVERED_FROM: readonly ProblemName[] = [
  'node_partitioned',
  'node_down',
  'node_hanging',
  'container_down',
  'container_paused',
  'container_restarting',
  'other_chain',
  'subnet_halted',
];

/** What nodes, or all of them after a halt, came back from less than a minute ago, by the problems so far. */
export const findRecovering = (before: ProblemIndex<Problem>, now: number): readonly Problem[] =>
  before.values.filter(
    (one) =>
      RECOVERED_FROM.includes(one.problem) && one.state !== 'suspected' && now - (one.clearingSince ?? now) < START_MS,
  );

/** The nodes that are out by the problems so far, which count until a node is asked, as after a restart of subnetd. */
export const findStillOut = (before: ProblemIndex<Problem>): ReadonlySet<string | undefined> =>
  new Set(
    before.values.flatMap((one) => (RECOVERED_FROM.includes(one.problem) && one.state === 'open' ? [one.name] : [])),
  );

/** Whether the height of a node shows that it has answered again for less than a minute. */
const hasReturned = ({ height }: NodeView, now: number): boolean =>
  height !== undefined && height.riseDueSince > height.advancedAt && now - height.riseDueSince < START_MS;

/** The nodes that came, or came back, less than a minute ago. After a restart of subnetd only a stored problem tells that one was gone. */
export function findJoining(
  nodes: readonly NodeView[],
  before: ProblemIndex<Problem>,
  now: number,
): ReadonlySet<string> {
  const recovering = new Set(findRecovering(before, now).map(({ name }) => name));
  const joining = new Set<string>();
  for (const node of nodes)
    if (node.isStarting || (!node.isOut && (hasReturned(node, now) || recovering.has(node.name))))
      joining.add(node.name);
  return joining;
}
