import type { ChainFacts } from '../model/facts.ts';
import type { Suspicion } from '../model/problem.ts';
import { explain } from './explain-checks.ts';
import { isStopped, listNames, type NodeView, type SubnetView } from './subnet-view.ts';

const chainOf = ({ state }: NodeView): ChainFacts | undefined => state.facts.node?.chain;

const short = (hash: string): string => `${hash.slice(0, 10)}…`;

/** Nodes of another chain: other than that of most nodes, by chain id or by genesis block. */
export function findForeign({ nodes, chain: { chain } }: SubnetView): readonly Suspicion[] {
  const foreign = nodes.filter((node) => node.isForeign && !isStopped(node));
  return foreign.flatMap((node) => {
    const own = chainOf(node)?.observation;
    if (own === undefined || chain === undefined) return [];
    const { name, state } = node;
    const isId = own.chainId !== chain.chainId;
    return [
      {
        problem: 'other_chain',
        component: 'node',
        name,
        summary: `${name} is on another chain`,
        evidence: isId
          ? `${name} has the chain id ${own.chainId}, the other nodes have ${chain.chainId}`
          : `${name} has the genesis block ${short(own.genesis ?? '')}, the other nodes have ${short(chain.genesis ?? '')}`,
        fix: isId
          ? `correct the address of ${name} in the inventory, or its network id`
          : `give ${name} the genesis file of the subnet, remove its data, and let it sync again; if the subnet was reset on purpose, reset the others too`,
        explains: explain(state, 'latest_block', 'peers', 'log_block'),
        causes: [],
      },
    ];
  });
}

/** The lowest height at which nodes have different blocks. */
function findForkHeight(nodes: readonly NodeView[]): number | undefined {
  const hashes = new Map<number, string>();
  let lowest: number | undefined;
  for (const node of nodes)
    for (const { number, hash } of chainOf(node)?.marks ?? []) {
      const known = hashes.get(number);
      if (known === undefined) hashes.set(number, hash);
      else if (known !== hash) lowest = Math.min(number, lowest ?? number);
    }
  return lowest;
}

/** Nodes that have another block at one height than most. Heights that nodes are asked for are long committed. */
function findFork(view: SubnetView): readonly Suspicion[] {
  const nodes = view.nodes.filter((node) => !node.isForeign && !isStopped(node));
  const height = findForkHeight(nodes);
  if (height === undefined) return [];
  const byHash = new Map<string, NodeView[]>();
  for (const node of nodes)
    for (const { number, hash } of chainOf(node)?.marks ?? [])
      if (number === height)
        byHash
          .set(hash, byHash.get(hash) ?? [])
          .get(hash)
          ?.push(node);
  const sides = [...byHash].toSorted(([, one], [, other]) => other.length - one.length);
  const [most, ...others] = sides.map(([, side]) => side);
  const minority = others.flat();
  const isEven = most !== undefined && others.some((side) => side.length === most.length);
  const names = listNames(minority.map(({ name }) => name));
  const written = sides.map(([hash, side]) => `${listNames(side.map(({ name }) => name))} ${short(hash)}`).join(', ');
  return [
    {
      problem: 'chain_forked',
      summary: isEven
        ? 'the nodes are on different chains'
        : `${names} follow${minority.length > 1 ? '' : 's'} another chain`,
      evidence: `at block ${height} the nodes have different blocks: ${written}`,
      fix: isEven
        ? 'find out which side the relayer submits from, keep that one, and let the others sync again from it'
        : `stop ${names}, keep the data for later, and let ${minority.length > 1 ? 'them' : 'it'} sync again from the others`,
      explains: minority.flatMap(({ state }) => explain(state, 'latest_block', 'peers')),
      causes: [
        { problem: 'quorum_at_risk' },
        ...minority.map(({ name }) => ({ problem: 'node_not_voting', component: 'node', name }) as const),
      ],
    },
  ];
}

/** Nodes that run and whose votes nobody has, while their own rounds pass without a block. */
function findNotVoting({ nodes, chain: { nameOf }, silentVoters }: SubnetView): readonly Suspicion[] {
  if (silentVoters.size === 0) return [];
  const byName = new Map(nodes.map((node) => [node.name, node]));
  return [...silentVoters].flatMap(([address, missed]) => {
    const node = byName.get(nameOf.get(address) ?? '');
    if (node === undefined) return [];
    const { name, state } = node;
    return [
      {
        problem: 'node_not_voting',
        component: 'node',
        name,
        summary: `${name} runs but does not vote`,
        evidence: `${name} (${address}) has signed no vote that the other nodes hold, and missed ${missed} of its last rounds`,
        fix: `check that ${name} has the key of ${address}, that it mines, and that its clock is right; then restart it`,
        explains: explain(state, 'log_block'),
        causes: [],
      },
    ];
  });
}

/** Masternodes that the chain has left out of its rounds. */
const findPenalised = ({ chain: { masternodes, nameOf } }: SubnetView): readonly Suspicion[] =>
  (masternodes?.penalised ?? []).flatMap((address) => {
    const name = nameOf.get(address);
    if (name === undefined) return [];
    return [
      {
        problem: 'masternode_penalised',
        component: 'node',
        name,
        summary: `${name} is penalised and does not vote`,
        evidence: `the chain lists ${address} of ${name} among the penalised masternodes at block ${masternodes?.number}`,
        fix: `find out why ${name} missed its rounds: its log, its clock and its peers; it may take part again after some epochs`,
        explains: [],
        causes: [],
      },
    ];
  });

/** By node that gave its id and its peers: those of the nodes that it is connected to, by what either of both says. */
function findConnected(nodes: readonly NodeView[]): ReadonlyMap<NodeView, ReadonlySet<NodeView>> {
  const byId = new Map<string, NodeView[]>();
  const connected = new Map<NodeView, Set<NodeView>>();
  for (const node of nodes) {
    const { nodeId, peerIds } = chainOf(node)?.observation ?? {};
    if (nodeId === undefined || peerIds === undefined) continue;
    byId
      .set(nodeId, byId.get(nodeId) ?? [])
      .get(nodeId)
      ?.push(node);
    connected.set(node, new Set());
  }
  for (const [node, own] of connected)
    for (const id of chainOf(node)?.observation.peerIds ?? [])
      for (const peer of byId.get(id) ?? []) {
        if (peer === node) continue;
        own.add(peer);
        connected.get(peer)?.add(node);
      }
  return connected;
}

/** Pairs of running nodes that are not connected, by what both say of their peers. Each node is named once, with all it misses. */
function findHoles({ nodes }: SubnetView): readonly Suspicion[] {
  const able = nodes.filter(
    ({ isOut, isStarting, peers = 0, target }) => !isOut && !isStarting && peers < target.expectedPeers,
  );
  const connected = findConnected(able);
  // The node that misses most comes first. What is left shrinks to what that one is connected to, so few pairs are looked at.
  const left = new Set(connected.keys());
  const found: Suspicion[] = [];
  for (const [node, others] of [...connected].toSorted(([, one], [, other]) => one.size - other.size)) {
    if (!left.has(node)) continue;
    const missing = [...left].filter((other) => other !== node && !others.has(other));
    if (missing.length === 0) continue;
    for (const one of [node, ...missing]) left.delete(one);
    const names = listNames(missing.map(({ name }) => name));
    found.push({
      problem: 'peers_missing',
      component: 'node',
      name: node.name,
      summary: `${node.name} is not connected to ${names}`,
      evidence: `${node.name} has ${node.peers} of ${node.target.expectedPeers} peers: it is not connected to ${names}`,
      fix: `open the p2p ports between ${node.name} and ${names} (TCP and UDP)`,
      explains: [node, ...missing].flatMap(({ state }) => explain(state, 'peers')),
      causes: [],
    });
  }
  return found;
}

/** Problems that the nodes' own answers about their chain show. */
export const findChainProblems = (view: SubnetView): readonly Suspicion[] => [
  ...findFork(view),
  ...findNotVoting(view),
  ...findPenalised(view),
  ...findHoles(view),
];
