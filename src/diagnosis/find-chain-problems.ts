import type { ChainFacts } from '../model/facts.ts';
import type { Suspicion } from '../model/problem.ts';
import { explain } from './explain-checks.ts';
import { isStopped, listNames, type NodeView, type SubnetView } from './subnet-view.ts';

const chainOf = ({ state }: NodeView): ChainFacts | undefined => state.facts.node?.chain;

const short = (hash: string): string => `${hash.slice(0, 10)}…`;

/** Nodes of another chain: other than that of most nodes, by chain id or by genesis block. */
export function findForeign({ nodes, chain: { chain } }: SubnetView): readonly Suspicion[] {
  return nodes.flatMap((node) => {
    const own = chainOf(node)?.observation;
    if (!node.isForeign || own === undefined || chain === undefined || isStopped(node)) return [];
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

/** Nodes that have another block at one height than most. Heights that nodes are asked for are long committed. */
function findFork({ nodes }: SubnetView): readonly Suspicion[] {
  const byHeight = new Map<number, Map<string, NodeView[]>>();
  for (const node of nodes) {
    if (node.isForeign || isStopped(node)) continue;
    for (const { number, hash } of chainOf(node)?.marks ?? []) {
      const byHash = byHeight.get(number) ?? new Map<string, NodeView[]>();
      byHeight.set(number, byHash.set(hash, [...(byHash.get(hash) ?? []), node]));
    }
  }
  const forked = [...byHeight].filter(([, byHash]) => byHash.size > 1).toSorted(([a], [b]) => a - b);
  const [lowest] = forked;
  if (lowest === undefined) return [];
  const [number, byHash] = lowest;
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
      evidence: `at block ${number} the nodes have different blocks: ${written}`,
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
const findNotVoting = ({ nodes, chain: { nameOf }, silentVoters }: SubnetView): readonly Suspicion[] =>
  [...silentVoters].flatMap(([address, missed]) => {
    const node = nodes.find(({ name }) => name === nameOf.get(address));
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

/** Pairs of running nodes that are not connected, by what both say of their peers. Each node is named once, with all it misses. */
function findHoles({ nodes }: SubnetView): readonly Suspicion[] {
  const able = nodes.filter(
    ({ isOut, isStarting, peers = 0, target }) => !isOut && !isStarting && peers < target.expectedPeers,
  );
  const known = able.flatMap((node) => {
    const { nodeId, peerIds } = chainOf(node)?.observation ?? {};
    return nodeId === undefined || peerIds === undefined ? [] : [{ node, nodeId, peerIds: new Set(peerIds) }];
  });
  const misses = new Map(
    known.map((one) => [
      one.node,
      known.filter((other) => other !== one && !one.peerIds.has(other.nodeId) && !other.peerIds.has(one.nodeId)),
    ]),
  );
  const told = new Set<NodeView>();
  const found: Suspicion[] = [];
  for (const [node, others] of [...misses].toSorted(([, one], [, other]) => other.length - one.length)) {
    const left = others.filter((other) => !told.has(other.node));
    if (told.has(node) || left.length === 0) continue;
    for (const one of [node, ...left.map((other) => other.node)]) told.add(one);
    const names = listNames(left.map((other) => other.node.name));
    found.push({
      problem: 'peers_missing',
      component: 'node',
      name: node.name,
      summary: `${node.name} is not connected to ${names}`,
      evidence: `${node.name} has ${node.peers} of ${node.target.expectedPeers} peers: it is not connected to ${names}`,
      fix: `open the p2p ports between ${node.name} and ${names} (TCP and UDP)`,
      explains: [node, ...left.map((other) => other.node)].flatMap(({ state }) => explain(state, 'peers')),
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
