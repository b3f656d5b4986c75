import { formatDuration } from '../../lib/duration.ts';
import { listNames } from '../../lib/words.ts';
import type { Suspicion } from '../../model/problem.ts';
import { adviceOf, isFromBefore, isStopped, type NodeView, type SubnetView } from './subnet-view.ts';
import { explain, suspectTarget } from './suspect.ts';

/** What the stats server says of the chain, beside what the nodes say of it. */
export const findStatsProblems = ({ services, now }: SubnetView): readonly Suspicion[] =>
  services.flatMap((server) => {
    const { behind, reading } = server.state.facts.service?.stats ?? {};
    if (behind === undefined) return [];
    return suspectTarget('stats_stale', server, {
      summary: 'the stats server is behind the nodes',
      evidence: `its newest block is ${reading?.newest}, ${behind.blocks} below that of the nodes, for ${formatDuration(Math.max(now - behind.since, 0))}`,
      fix: 'check STATS_SERVICE_ADDRESS and STATS_SECRET of the nodes: none sends it blocks, or only one that is behind',
      explains: explain(server, 'block_data', 'history_data'),
    });
  });

const bootnodesOf = ({ state }: NodeView): readonly string[] | undefined => state.facts.logs?.created?.bootnodes;

/** The public keys of the bootnodes of a node. Their addresses may differ: inside of a machine and from outside. */
const keyOf = (node: NodeView): string | undefined =>
  bootnodesOf(node)
    ?.map((one) => one.split('@')[0]?.toLowerCase())
    .toSorted()
    .join();

const formatBootnodes = (node: NodeView): string =>
  listNames((bootnodesOf(node) ?? []).map((one) => one.replace(/^(.{8})[^@]*/, '$1…')));

/**
 * Nodes that were created with another bootnode than most. Such a node finds its peers only as long as others find it. Whether a
 * node talks to its right bootnode cannot be seen from here; the log of the bootnode shows that.
 */
export function findUnusedBootnode({ nodes }: SubnetView): readonly Suspicion[] {
  const known = nodes.filter((node) => !isStopped(node) && bootnodesOf(node) !== undefined);
  const byKey = [...Map.groupBy(known, keyOf).values()];
  const [first] = byKey.find((alike) => alike.length * 2 > known.length) ?? [];
  if (first === undefined) return [];
  // The peers of the container before say nothing of the one that runs.
  const hasPeers = (node: NodeView) => (node.peers ?? 0) > 0 && !isFromBefore(node, 'peers');
  const others = known.filter((node) => keyOf(node) !== keyOf(first) && hasPeers(node));
  return others.map((node) =>
    suspectTarget('bootnode_unused', node, {
      summary: `${node.name} does not use the bootnode of the other nodes`,
      evidence: `${node.name} was created with the bootnode ${formatBootnodes(node)}, and most nodes with ${formatBootnodes(first)}; it has ${node.peers} peers because the others found it`,
      fix: `correct the bootnode in ${adviceOf(node).envFile(node.target)} and recreate the node; until then it may find no peer after a restart`,
    }),
  );
}
