import { listEach } from '../../lib/words.ts';
import type { Suspicion } from '../../model/problem.ts';
import { explainEach } from './explain-checks.ts';
import { commandToRestart } from './find-node-problems.ts';
import { lacksPeers, type NodeView, type SubnetView } from './subnet-view.ts';

/**
 * A list of ids for each id, by their numbers. All lists are in one array, one after the other: that of an id goes from its start to
 * the start of the next id. For hundreds of thousands of peers, to make a list for each node would be most of the work.
 */
export interface IdLists {
  readonly starts: Int32Array;
  readonly ids: Int32Array;
}

/**
 * Who says that it is connected to whom, by the numbers of the ids that the running nodes gave. Nodes that gave the same id count as
 * one: it has several names, or all are behind one address. Otherwise thousands of such nodes would make millions of pairs.
 */
export interface Mesh {
  /** The nodes that gave an id, at its number. Ids have the order of their first nodes. */
  readonly nodesOf: readonly (readonly NodeView[])[];
  /** The ids that the nodes of an id list as their peers, each once. */
  readonly lists: IdLists;
  /** The ids whose nodes list it. */
  readonly listedBy: IdLists;
}

/** The number of no id. */
export const NO_ID = -1;

/** Calls `visit` with each id in the list of an id, in their order. */
export function visitList({ starts, ids }: IdLists, id: number, visit: (other: number) => void): void {
  const end = starts[id + 1] ?? 0;
  for (let at = starts[id] ?? 0; at < end; at += 1) visit(ids[at] ?? 0);
}

/** The ids whose lists name an id, in their order. */
function invert(lists: IdLists): IdLists {
  const starts = new Int32Array(lists.starts.length);
  const ids = new Int32Array(lists.ids.length);
  const add = (id: number, count: number) => {
    starts[id] = (starts[id] ?? 0) + count;
  };
  for (const other of lists.ids) add(other + 1, 1);
  for (let id = 1; id < starts.length; id += 1) add(id, starts[id - 1] ?? 0);
  const free = starts.slice();
  for (let id = 0; id + 1 < starts.length; id += 1)
    visitList(lists, id, (other) => {
      const at = free[other] ?? 0;
      ids[at] = id;
      free[other] = at + 1;
    });
  return { starts, ids };
}

/** The ids that the nodes of each id list as their peers, given the number of each id. */
function findLists(nodesOf: Mesh['nodesOf'], numbers: ReadonlyMap<string, number>): IdLists {
  const starts = new Int32Array(nodesOf.length + 1);
  const ids: number[] = [];
  /** By peer: the id in whose list it was last found. */
  const listedIn = new Int32Array(nodesOf.length).fill(NO_ID);
  for (const [own, nodes] of nodesOf.entries()) {
    for (const { chainFacts } of nodes)
      for (const id of chainFacts?.observation.peerIds ?? []) {
        const peer = numbers.get(id);
        if (peer === undefined || listedIn[peer] === own) continue;
        listedIn[peer] = own;
        ids.push(peer);
      }
    starts[own + 1] = ids.length;
  }
  return { starts, ids: new Int32Array(ids) };
}

/** The mesh of the nodes that run. It makes no object for a peer, as there may be hundreds of thousands. */
export function findMesh(all: readonly NodeView[]): Mesh {
  const numbers = new Map<string, number>();
  const nodesOf: NodeView[][] = [];
  for (const node of all) {
    const id = node.chainFacts?.observation.nodeId;
    if (node.isOut || node.isStarting || id === undefined) continue;
    const number = numbers.get(id) ?? nodesOf.length;
    numbers.set(id, number);
    if (number === nodesOf.length) nodesOf.push([node]);
    else nodesOf[number]?.push(node);
  }
  const lists = findLists(nodesOf, numbers);
  return { nodesOf, lists, listedBy: invert(lists) };
}

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
