import { formatDuration } from '../../lib/duration.ts';
import { listNames } from '../../lib/words.ts';
import type { Suspicion } from '../../model/problem.ts';
import { explain } from './explain-checks.ts';
import { adviceOf, isStopped, type NodeView, type SubnetView, type TargetView } from './subnet-view.ts';

function findBehind(server: TargetView, now: number): Suspicion | undefined {
  const { target, facts } = server.state;
  const { behind, reading } = facts.service?.stats ?? {};
  if (behind === undefined) return undefined;
  return {
    problem: 'stats_stale',
    component: target.component,
    name: target.name,
    summary: 'the stats server is behind the nodes',
    evidence: `its newest block is ${reading?.newest}, ${behind.blocks} below that of the nodes, for ${formatDuration(Math.max(now - behind.since, 0))}`,
    fix: 'check STATS_SERVICE_ADDRESS and STATS_SECRET of the nodes: none sends it blocks, or only one that is behind',
    explains: explain(server, 'block_data', 'history_data'),
    causes: [],
  };
}

/** What the stats server says of the chain, beside what the nodes say of it. */
export const findStatsProblems = ({ services, now }: SubnetView): readonly Suspicion[] =>
  services.flatMap((server) => findBehind(server, now) ?? []);

/** Whether all nodes that say their bootnodes were created with the same ones, word for word: mostly they were. */
function isSameForAll(nodes: readonly NodeView[]): boolean {
  let first: readonly string[] | undefined;
  for (const { state } of nodes) {
    const bootnodes = state.facts.logs?.created?.bootnodes;
    first ??= bootnodes;
    if (first === undefined || bootnodes === undefined || bootnodes === first) continue;
    if (bootnodes.length !== first.length || !bootnodes.every((one, index) => one === first?.[index])) return false;
  }
  return true;
}

/** The public keys of the bootnodes of a node. Their addresses may differ: inside of a machine and from outside. */
function toKey({ state }: NodeView): string | undefined {
  const bootnodes = state.facts.logs?.created?.bootnodes;
  return bootnodes
    ?.map((one) => one.split('@')[0]?.toLowerCase())
    .toSorted()
    .join();
}

const short = (bootnode: string): string => bootnode.replace(/^(.{8})[^@]*/, '$1…');

const formatBootnodes = ({ state }: NodeView): string =>
  listNames((state.facts.logs?.created?.bootnodes ?? []).map(short));

/**
 * Nodes that were created with another bootnode than most. Such a node finds its peers only as long as others find it. Whether a
 * node talks to its right bootnode cannot be seen from here; the log of the bootnode shows that.
 */
export function findUnusedBootnode({ nodes }: SubnetView): readonly Suspicion[] {
  if (isSameForAll(nodes)) return [];
  const known: { readonly node: NodeView; readonly key: string }[] = [];
  for (const node of nodes) {
    const key = isStopped(node) ? undefined : toKey(node);
    if (key !== undefined) known.push({ node, key });
  }
  const counts = new Map<string, number>();
  for (const { key } of known) counts.set(key, (counts.get(key) ?? 0) + 1);
  const most = known.find(({ key }) => (counts.get(key) ?? 0) * 2 > known.length);
  if (most === undefined) return [];
  return known.flatMap(({ node, key }) => {
    const { name, peers = 0 } = node;
    if (key === most.key || peers === 0) return [];
    return [
      {
        problem: 'bootnode_unused',
        component: 'node',
        name,
        summary: `${name} does not use the bootnode of the other nodes`,
        evidence: `${name} was created with the bootnode ${formatBootnodes(node)}, and most nodes with ${formatBootnodes(most.node)}; it has ${peers} peers because the others found it`,
        fix: `correct the bootnode in ${adviceOf(node).envFile(node.target)} and recreate the node; until then it may find no peer after a restart`,
        explains: [],
        causes: [],
      },
    ];
  });
}
