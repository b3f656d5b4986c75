import { formatDuration } from '../model/duration.ts';
import { explain } from './explain-checks.ts';
import { isContained } from './find-node-problems.ts';
import type { Found } from './found.ts';
import type { NodeView, SubnetView } from './subnet-view.ts';

/** How many masternodes must vote for a block, as the chain counts in floating point: votes >= nodes × 0.667. */
export const requiredVotes = (masternodes: number): number => Math.ceil(0.667 * masternodes);

const canVote = (node: NodeView): boolean =>
  !isContained(node) &&
  node.answers !== false &&
  (node.peers !== 0 || node.justStarted || node.target.expectedPeers === 0);

/** No node has made or received a block for the stall limit, although at least one is heard. */
function findHalt({ nodes, now, stallAfterMs }: SubnetView): Found | undefined {
  const heard = nodes.filter(({ height }) => height !== undefined);
  if (heard.length === 0 || nodes.some(({ rises }) => rises)) return undefined;
  const stalledSince = Math.max(...heard.map(({ height }) => height?.riseDueSince ?? 0));
  if (now - stalledSince < stallAfterMs) return undefined;
  const required = requiredVotes(nodes.length);
  const out = nodes.filter((node) => !canVote(node));
  const voting = nodes.length - out.length;
  const top = Math.max(...heard.map(({ height }) => height?.number ?? 0));
  const names = out.map(({ name }) => name).join(', ');
  return {
    problem: 'subnet_halted',
    summary: 'the subnet is halted',
    evidence: `no block after ${top} for ${formatDuration(now - stalledSince)}; ${voting} of ${nodes.length} nodes can vote, and ${required} are needed`,
    fix:
      voting < required
        ? `bring back ${names}: ${required - voting} more must vote; restart no other node`
        : `enough nodes answer, so see whether they reach each other (p2p ports) and agree on the chain, and read the log of one: its lines name the round that times out`,
    explains: heard.flatMap(({ target }) => explain(target, 'latest_block', 'log_block')),
    causes: [],
  };
}

/** The subnet goes on, but halts when one more node fails. */
function findRisk({ nodes }: SubnetView): Found | undefined {
  const required = requiredVotes(nodes.length);
  const out = nodes.filter((node) => !canVote(node) || (node.height !== undefined && !node.rises && !node.justStarted));
  const voting = nodes.length - out.length;
  if (out.length === 0 || voting !== required || !nodes.some(({ rises }) => rises)) return undefined;
  return {
    problem: 'quorum_at_risk',
    summary: 'no further node may fail',
    evidence: `${voting} of ${nodes.length} nodes vote, and ${required} are needed; ${out.map(({ name }) => name).join(', ')} ${out.length > 1 ? 'do' : 'does'} not`,
    fix: `bring back ${out.map(({ name }) => name).join(', ')} first, and restart no other node`,
    explains: [],
    causes: [],
  };
}

/** Everything unreachable at once, from here: subnetd cannot see, which says nothing about the subnet. */
export function findOffline({ nodes, targets }: SubnetView): Found | undefined {
  const asked = nodes.filter(({ answers }) => answers !== undefined);
  const isNetworkFault = ({ fault }: NodeView) =>
    fault !== undefined && ['unreachable', 'unresolved', 'timeout'].includes(fault.kind);
  const isBlind =
    asked.length > 1 && asked.every((node) => node.answers === false && isNetworkFault(node) && !isContained(node));
  if (!isBlind || nodes.some(({ rises }) => rises)) return undefined;
  return {
    problem: 'monitor_offline',
    summary: 'subnetd cannot reach any node',
    evidence: `all ${asked.length} nodes became unreachable from here (${[...new Set(asked.map(({ fault }) => fault?.kind))].join(', ')}), and none is known to be stopped`,
    fix: 'check the network link and the name server of the machine of subnetd; the subnet itself may be well',
    explains: targets.flatMap(({ target }) =>
      explain(target, ...(target.component === 'node' ? (['latest_block', 'peers'] as const) : (['http'] as const))),
    ),
    causes: asked.flatMap(({ name }) => [
      { problem: 'node_down' as const, name },
      { problem: 'node_hanging' as const, name },
    ]),
  };
}

/** Problems of the subnet as a whole. */
export const findSubnetProblems = (view: SubnetView): readonly Found[] => {
  const offline = findOffline(view);
  if (offline !== undefined) return [offline];
  return [findHalt(view) ?? findRisk(view) ?? []].flat();
};
