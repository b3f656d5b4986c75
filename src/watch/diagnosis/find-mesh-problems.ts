import { listEach } from '../../lib/list-names.ts';
import type { Suspicion } from '../../model/problem.ts';
import { explainEach } from './explain-checks.ts';
import { findMesh, type Mesh, NO_ID, visitList } from './find-mesh.ts';
import { commandToRestart } from './find-node-problems.ts';
import { lacksPeers, type NodeView, type SubnetView } from './subnet-view.ts';

/** Creates the test whether a node has fewer peers than expected, and lists them. */
const createIsShort =
  (view: SubnetView) =>
  (node: NodeView): boolean =>
    (node.peers ?? 0) < node.target.expectedPeers &&
    node.chainFacts?.observation.peerIds !== undefined &&
    lacksPeers(node, view);

type IsShort = ReturnType<typeof createIsShort>;

/** Pairs of running nodes that are not connected, by the peers that both list. Each node is in one problem only. */
function findHoles({ nodesOf, lists, listedBy }: Mesh, isShort: IsShort): readonly Suspicion[] {
  const short = nodesOf.map((nodes) => nodes.some(isShort));
  const shortOf = (id: number): readonly NodeView[] => nodesOf[id]?.filter(isShort) ?? [];
  /** By peer: the id that was last marked as connected to it. */
  const connectedTo = new Int32Array(nodesOf.length).fill(NO_ID);
  /** Marks the ids that an id is connected to, and counts those of them that are short of peers. */
  const mark = (id: number): number => {
    let count = 0;
    const visit = (other: number) => {
      if (connectedTo[other] === id) return;
      connectedTo[other] = id;
      if (short[other]) count += 1;
    };
    visitList(lists, id, visit);
    visitList(listedBy, id, visit);
    return count;
  };
  let left = [...nodesOf.keys()].filter((id) => short[id]);
  const counts = new Int32Array(nodesOf.length);
  for (const id of left) counts[id] = mark(id);
  // The id that misses most comes first, with all that it misses. Only what it is connected to is left, so few pairs are compared.
  const inOrder = left.toSorted((one, other) => (counts[one] ?? 0) - (counts[other] ?? 0));
  const isNamed = new Uint8Array(nodesOf.length);
  const found: Suspicion[] = [];
  for (const id of inOrder) {
    if (isNamed[id]) continue;
    mark(id);
    connectedTo[id] = id;
    const missing = left.filter((other) => connectedTo[other] !== id);
    const nodes = missing.length === 0 ? [] : shortOf(id);
    const [node] = nodes;
    if (node === undefined) continue;
    isNamed[id] = 1;
    for (const one of missing) isNamed[one] = 1;
    left = left.filter((other) => !isNamed[other]);
    const missed = missing.flatMap(shortOf);
    const names = listEach(missed, ({ name }) => name);
    found.push({
      problem: 'peers_missing',
      component: 'node',
      name: node.name,
      summary: `${node.name} is not connected to ${names}`,
      evidence: `${node.name} has ${node.peers} of ${node.target.expectedPeers} peers: it is not connected to ${names}`,
      fix: `open the p2p ports between ${node.name} and ${names} (TCP and UDP)`,
      explains: explainEach([...nodes, ...missed], 'peers'),
      causes: [],
    });
  }
  return found;
}

/**
 * Nodes that lack peers which list them. After a node hung, real ones keep such connections for as long as both run: the ports
 * are open, so nothing of the network is to be changed.
 */
function findHalfConnected({ nodesOf, lists, listedBy }: Mesh, isShort: IsShort): readonly Suspicion[] {
  const found: Suspicion[] = [];
  /** By peer: the id in whose list it was last found. */
  const listedIn = new Int32Array(nodesOf.length).fill(NO_ID);
  for (let id = 0; id < nodesOf.length; id += 1) {
    const node = nodesOf[id]?.find(isShort);
    if (node?.peers === undefined) continue;
    const { name, peers, target } = node;
    const lacks = target.expectedPeers - peers;
    visitList(lists, id, (other) => {
      listedIn[other] = id;
    });
    // Peers are expected by nodes, so each node of an id counts. Names are collected only where enough are lost.
    let lost = 0;
    visitList(listedBy, id, (other) => {
      if (listedIn[other] !== id) lost += nodesOf[other]?.length ?? 0;
    });
    if (lost === 0 || lost < lacks) continue;
    const others: number[] = [];
    visitList(listedBy, id, (other) => {
      if (listedIn[other] !== id) others.push(other);
    });
    const names = listEach(others, (other) => nodesOf[other]?.[0]?.name ?? '');
    found.push({
      problem: 'peers_missing',
      component: 'node',
      name,
      summary: `${name} has lost its side of the connection with ${names}`,
      evidence: `${name} has ${peers} of ${target.expectedPeers} peers: it does not list ${names}, which ${others.length === 1 ? 'lists' : 'list'} it`,
      fix: `the p2p ports are open; ${commandToRestart(node)} while no other node is down`,
      explains: explainEach(nodesOf[id] ?? [], 'peers'),
      causes: [],
    });
  }
  return found;
}

/** Nodes that are not connected to each other. What only one side lists is reported of nodes that have no other hole in the mesh. */
export function findMeshProblems(view: SubnetView): readonly Suspicion[] {
  const { nodes } = view;
  const isShort = createIsShort(view);
  if (!nodes.some((node) => !node.isOut && !node.isStarting && isShort(node))) return [];
  const mesh = findMesh(nodes);
  const holes = findHoles(mesh, isShort);
  const oneSided = findHalfConnected(mesh, isShort);
  if (oneSided.length === 0) return holes;
  const named = new Set(holes.flatMap(({ name, explains }) => [name, ...explains.map((each) => each.name)]));
  return [...holes, ...oneSided.filter(({ name }) => !named.has(name))];
}
