import { listEach } from '../../lib/words.ts';
import type { Suspicion } from '../../model/problem.ts';
import { commandToRestart } from './find-node-problems.ts';
import { lacksPeers, type NodeView, namesOf, type SubnetView } from './subnet-view.ts';
import { explainEach, suspectTarget } from './suspect.ts';

/** The running nodes that gave one id, which count as one, and the other ids that they list, or whose nodes list it. */
interface Point {
  readonly nodes: NodeView[];
  readonly lists: Set<Point>;
  readonly listedBy: Set<Point>;
}

/** Who of these says that it is connected to whom, in the order of the nodes, by those whose lists count. */
function findMesh(all: readonly NodeView[], counts: (node: NodeView) => boolean = () => true): readonly Point[] {
  const points = new Map<string, Point>();
  for (const node of all) {
    const id = node.chainFacts?.observation.nodeId;
    if (node.isOut || id === undefined) continue;
    const point = points.get(id) ?? { nodes: [], lists: new Set(), listedBy: new Set() };
    points.set(id, point);
    point.nodes.push(node);
  }
  for (const point of points.values())
    for (const id of point.nodes.filter(counts).flatMap(({ chainFacts }) => chainFacts?.observation.peerIds ?? [])) {
      const peer = points.get(id);
      if (peer === undefined) continue;
      point.lists.add(peer);
      peer.listedBy.add(point);
    }
  return [...points.values()];
}

/** Of more nodes, the summary has only the number: it is the headline of the subnet. */
const MOST_IN_SUMMARY = 5;

/** Pairs of running nodes that are not connected, by the peers that both list. Each node is in one problem only. */
function findHoles(mesh: readonly Point[], isShort: (node: NodeView) => boolean): readonly Suspicion[] {
  const short = new Set(mesh.filter(({ nodes }) => nodes.some(isShort)));
  const counts = new Map([...short].map((one) => [one, one.lists.union(one.listedBy).intersection(short).size]));
  // The one that misses most comes first, with all that it misses. Only what it is connected to is left, so few pairs are compared.
  const inOrder = [...short].toSorted((one, other) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0));
  const left = new Set(short);
  return inOrder.flatMap((point) => {
    if (!left.has(point)) return [];
    const missing = left.difference(point.lists).difference(point.listedBy);
    missing.delete(point);
    const nodes = point.nodes.filter(isShort);
    const [node] = nodes;
    if (missing.size === 0 || node === undefined) return [];
    for (const one of [point, ...missing]) left.delete(one);
    const missed = [...missing].flatMap((one) => one.nodes.filter(isShort));
    const names = namesOf(missed);
    const hasMany = missed.length > MOST_IN_SUMMARY;
    return suspectTarget('peers_missing', node, {
      summary: hasMany ? `${node.name} lacks ${missed.length} peers` : `${node.name} is not connected to ${names}`,
      evidence: `${node.name} has ${node.peers} of ${node.target.expectedPeers} peers: it is not connected to ${names}`,
      fix: `open the p2p ports between ${node.name} and ${names} (TCP and UDP)`,
      explains: explainEach([...nodes, ...missed], 'peers'),
    });
  });
}

/** By then a node lists no peer any more whose side of their connection is gone, as behind a port that was closed. */
const NOTICED_MS = 30_000;

/** Nodes that lack peers which list them, as after a node hung: the ports are open, so nothing is to be changed there. */
const findHalfConnected = (mesh: readonly Point[], isShort: (node: NodeView) => boolean): readonly Suspicion[] =>
  mesh.flatMap(({ nodes, lists, listedBy }) => {
    const node = nodes.find(isShort);
    if (node?.peers === undefined) return [];
    const { name, peers, target } = node;
    // A list from before the connection was lost, or came back, is still the old one.
    const isLost = (other: NodeView) => {
      const seen = [node.chainFacts, other.chainFacts];
      const changedAt = Math.max(...seen.map((one) => one?.listsSince ?? 0));
      return seen.every((one) => (one?.at ?? 0) >= changedAt + NOTICED_MS);
    };
    const others = [...listedBy.difference(lists)].filter((other) => other.nodes.some(isLost));
    // Peers are expected by nodes, so each node of an id counts.
    const lost = others.flatMap((other) => other.nodes).length;
    if (lost === 0 || lost < target.expectedPeers - peers) return [];
    const names = listEach(others, (other) => other.nodes[0]?.name ?? '');
    return suspectTarget('peers_missing', node, {
      summary: `${name} has lost its side of the connection with ${names}`,
      evidence: `${name} has ${peers} of ${target.expectedPeers} peers: it does not list ${names}, which ${others.length === 1 ? 'lists' : 'list'} it`,
      fix: `the p2p ports are open; ${commandToRestart(node)} while no other node is down`,
      explains: explainEach(nodes, 'peers'),
    });
  });

/** Nodes that are not connected to each other. What only one side lists is reported of nodes that have no other hole in the mesh. */
export function findMeshProblems(view: SubnetView): readonly Suspicion[] {
  /** Whether a node has fewer peers than expected, and lists them. */
  const isShort = (node: NodeView) =>
    (node.peers ?? 0) < node.target.expectedPeers &&
    node.chainFacts?.observation.peerIds !== undefined &&
    lacksPeers(node, view);
  const nodes = view.nodes.filter(({ isStarting }) => !isStarting);
  if (!nodes.some((node) => !node.isOut && isShort(node))) return [];
  const mesh = findMesh(nodes);
  const holes = findHoles(mesh, isShort);
  const named = new Set(holes.flatMap(({ name, explains }) => [name, ...explains.map((each) => each.name)]));
  return [...holes, ...findHalfConnected(mesh, isShort).filter(({ name }) => !named.has(name))];
}

/** How many masternodes are connected at most, and the two sides without a link where lists show them, neither with as many as must vote. */
export function findSplit(nodes: readonly NodeView[], voters: readonly NodeView[], required: number) {
  const linksOf = ({ lists, listedBy }: Point) => lists.union(listedBy);
  // A list of more or fewer peers than are counted now is old.
  const left = new Set(findMesh(nodes, ({ peers, chainFacts }) => chainFacts?.observation.peerIds?.length === peers));
  for (const point of left) {
    const side = new Set([point]);
    for (const one of side) for (const peer of linksOf(one)) side.add(peer);
    // Each of them has the same side.
    for (const one of side) left.delete(one);
    const members = new Set([...side].flatMap((one) => one.nodes));
    const sides = [voters.filter((one) => members.has(one)), voters.filter((one) => !members.has(one))] as const;
    const together = Math.max(...sides.map(({ length }) => length));
    // None of them has a peer that is not known here.
    const isClosed = [...side].every((one) => one.nodes.every(({ peers }) => linksOf(one).size === peers));
    if (isClosed && together < Math.min(required, voters.length)) return { sides, together };
  }
  // So many are connected by one link fewer at least, and each link is a peer of two.
  const counts = voters.map(({ peers = Infinity }) => peers).toSorted((one, other) => other - one);
  const most = counts.findLastIndex((_, at) => counts.slice(0, at + 1).reduce((sum, one) => sum + one) >= 2 * at);
  return { together: most + 1 };
}
