import type { Suspicion } from '../model/problem.ts';
import { explain } from './explain-checks.ts';
import { commandToRestart } from './find-node-problems.ts';
import { listNames, type NodeView, type SubnetView } from './subnet-view.ts';

/** By node of these: the nodes that list it as a peer, although it does not list them. */
function findOneSided(
  short: readonly NodeView[],
  nodes: readonly NodeView[],
): ReadonlyMap<NodeView, readonly NodeView[]> {
  const byId = new Map(short.map((node) => [node.said?.observation.nodeId, node]));
  const own = new Map(short.map((node) => [node, new Set(node.said?.observation.peerIds)]));
  const found = new Map<NodeView, NodeView[]>();
  for (const other of nodes) {
    const { nodeId, peerIds = [] } = other.said?.observation ?? {};
    if (nodeId === undefined || other.isOut || other.isStarting) continue;
    for (const id of peerIds) {
      const node = byId.get(id);
      if (node === undefined || node === other || own.get(node)?.has(nodeId)) continue;
      found.set(node, [...(found.get(node) ?? []), other]);
    }
  }
  return found;
}

/**
 * Nodes that lack peers which list them. After a node hung, real ones keep such connections for as long as both run: the ports
 * are open, so nothing of the network is to be changed.
 */
export function findHalfConnected({ nodes }: SubnetView): readonly Suspicion[] {
  const short = nodes.filter(
    ({ isOut, isStarting, peers, target, said }) =>
      !isOut &&
      !isStarting &&
      peers !== undefined &&
      peers < target.expectedPeers &&
      said?.observation.nodeId !== undefined,
  );
  if (short.length === 0) return [];
  return [...findOneSided(short, nodes)].flatMap(([node, others]) => {
    const { name, peers = 0, target } = node;
    if (target.expectedPeers - peers > others.length || node.said?.observation.peerIds === undefined) return [];
    const names = listNames(others.map((other) => other.name));
    return [
      {
        problem: 'peers_missing',
        component: 'node',
        name,
        summary: `${name} has lost its side of the connection with ${names}`,
        evidence: `${name} has ${peers} of ${target.expectedPeers} peers: it does not list ${names}, which ${others.length === 1 ? 'lists' : 'list'} it`,
        fix: `the p2p ports are open; ${commandToRestart(node)} while no other node is down`,
        explains: explain(node, 'peers'),
        causes: [],
      },
    ];
  });
}
