import { formatDuration } from '../model/duration.ts';
import { explain } from './explain-checks.ts';
import type { Found } from './found.ts';
import type { NodeView, SubnetView } from './subnet-view.ts';

/** Whether a problem of its container explains a node. */
export const isContained = ({ container }: NodeView): boolean =>
  container.kind !== 'running' && container.kind !== 'unknown';

const list = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} others` : names.join(', ');

/** The command that restarts a node, as far as the inventory says where it runs. */
const commandToRestart = ({ container, name }: NodeView): string =>
  'container' in container ? `docker restart ${container.container.name}` : `restart ${name}`;

function findSilent(node: NodeView): Found | undefined {
  if (isContained(node) || node.answers !== false) return undefined;
  const { name, target, container, fault } = node;
  const subject = {
    component: 'node',
    name,
    explains: explain(target, 'latest_block', 'peers', 'log_block'),
    causes: [],
  } as const;
  if (fault?.kind === 'timeout')
    return {
      ...subject,
      problem: 'node_hanging',
      summary: `${name} hangs`,
      evidence: `${container.kind === 'running' ? 'its container runs, but ' : ''}${name} has not answered within ${formatDuration(fault.afterMs)}`,
      fix: commandToRestart(node),
    };
  return {
    ...subject,
    problem: 'node_down',
    summary: `${name} does not answer`,
    evidence: `no JSON-RPC call to ${name} is answered (${fault?.kind ?? 'no answer'})`,
    fix:
      'container' in container
        ? `read why: docker logs --tail 100 ${container.container.name}`
        : `see that ${name} runs and that its RPC port is reachable from here`,
  };
}

/** A node without peers while others have some: it runs, so a restart does not help. */
function findPartitioned(node: NodeView, view: SubnetView): Found | undefined {
  const { name, target, peers, justStarted } = node;
  if (peers !== 0 || target.expectedPeers === 0 || justStarted) return undefined;
  const connected = view.nodes.filter((other) => other !== node && (other.peers ?? 0) > 0);
  if (connected.length === 0) return undefined;
  const others = connected.map((other) => other.name);
  return {
    component: 'node',
    name,
    problem: 'node_partitioned',
    summary: `${name} is cut off from the other nodes`,
    evidence: `${name} answers and has 0 of ${target.expectedPeers} peers, while ${list(others)} ${others.length > 1 ? 'are' : 'is'} connected`,
    fix: `open the p2p port of ${name} to the other nodes (TCP and UDP), and check its bootnode address and the firewall; do not restart it`,
    explains: [
      ...explain(target, 'latest_block', 'peers', 'log_block'),
      ...connected.flatMap((other) => explain(other.target, 'peers')),
    ],
    causes: [{ problem: 'node_stalled', name }],
  };
}

/** A node that stands while others rise, although it has peers. */
function findStalled(node: NodeView, view: SubnetView): Found | undefined {
  const { name, target, height, rises, justStarted } = node;
  if (node.answers !== true || height === undefined || rises || justStarted || isContained(node)) return undefined;
  const standsMs = view.now - height.riseDueSince;
  const witness = view.nodes.find((other) => other !== node && other.rises && !other.justStarted);
  if (standsMs < view.stallAfterMs || witness === undefined) return undefined;
  return {
    component: 'node',
    name,
    problem: 'node_stalled',
    summary: `${name} stands at block ${height.number}`,
    evidence: `block ${height.number} for ${formatDuration(standsMs)} with ${node.peers ?? 'unknown'} peers, while ${witness.name} rises`,
    fix: `${commandToRestart(node)}; if it stands again, check its disk and memory`,
    explains: explain(target, 'latest_block', 'log_block'),
    causes: [],
  };
}

/** Problems of single nodes. */
export function findNodeProblems(view: SubnetView): readonly Found[] {
  return view.nodes.flatMap((node) => {
    const found = findSilent(node) ?? findPartitioned(node, view) ?? findStalled(node, view);
    return found ?? [];
  });
}
