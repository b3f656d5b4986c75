import { listEach } from '../model/list-names.ts';
import type { Suspicion } from '../model/problem.ts';
import { explain, explainEach } from './explain-checks.ts';
import { findMesh, lengthOf, type Mesh, NOWHERE, visitList } from './find-mesh.ts';
import { commandToRestart } from './find-node-problems.ts';
import type { NodeView, SubnetView } from './subnet-view.ts';

/** Whether a node has fewer peers than it should have, and says which. */
const isShort = ({ peers = 0, target, said }: NodeView): boolean =>
  peers < target.expectedPeers && said?.observation.peerIds !== undefined;

/** Pairs of running nodes that are not connected, by what both say of their peers. Each node is named once, with all it misses. */
function findHoles({ nodes, lists, listedBy }: Mesh): readonly Suspicion[] {
  const short = nodes.map(isShort);
  /** By place: the node that was last found to be connected to it. */
  const connectedTo = new Int32Array(nodes.length).fill(NOWHERE);
  /** Marks the nodes that one is connected to, and counts those of them that are short too. */
  const mark = (place: number): number => {
    let count = 0;
    const visit = (other: number) => {
      if (connectedTo[other] === place) return;
      connectedTo[other] = place;
      if (short[other]) count += 1;
    };
    visitList(lists, place, visit);
    visitList(listedBy, place, visit);
    return count;
  };
  let left = [...nodes.keys()].filter((place) => short[place]);
  const counts = new Int32Array(nodes.length);
  for (const place of left) counts[place] = mark(place);
  // The node that misses most comes first. What is left shrinks to what that one is connected to, so few pairs are looked at.
  const inOrder = left.toSorted((one, other) => (counts[one] ?? 0) - (counts[other] ?? 0));
  const isSaid = new Uint8Array(nodes.length);
  const found: Suspicion[] = [];
  for (const place of inOrder) {
    const node = nodes[place];
    if (node === undefined || isSaid[place]) continue;
    mark(place);
    connectedTo[place] = place;
    const missing = left.filter((other) => connectedTo[other] !== place);
    if (missing.length === 0) continue;
    isSaid[place] = 1;
    for (const one of missing) isSaid[one] = 1;
    left = left.filter((other) => !isSaid[other]);
    const missed = missing.flatMap((other) => nodes[other] ?? []);
    const names = listEach(missed, ({ name }) => name);
    found.push({
      problem: 'peers_missing',
      component: 'node',
      name: node.name,
      summary: `${node.name} is not connected to ${names}`,
      evidence: `${node.name} has ${node.peers} of ${node.target.expectedPeers} peers: it is not connected to ${names}`,
      fix: `open the p2p ports between ${node.name} and ${names} (TCP and UDP)`,
      explains: explainEach([node, ...missed], 'peers'),
      causes: [],
    });
  }
  return found;
}

/**
 * Nodes that lack peers which list them. After a node hung, real ones keep such connections for as long as both run: the ports
 * are open, so nothing of the network is to be changed.
 */
function findHalfConnected({ nodes, lists, listedBy }: Mesh): readonly Suspicion[] {
  const found: Suspicion[] = [];
  /** By place: the node that was last found to list it. */
  const listedIn = new Int32Array(nodes.length).fill(NOWHERE);
  for (let place = 0; place < nodes.length; place += 1) {
    const node = nodes[place];
    if (node?.peers === undefined || !isShort(node)) continue;
    const { name, peers, target } = node;
    const lacks = target.expectedPeers - peers;
    // Of thousands that are short, few are listed by as many as they lack.
    if (lengthOf(listedBy, place) < lacks) continue;
    visitList(lists, place, (other) => {
      listedIn[other] = place;
    });
    const others: number[] = [];
    visitList(listedBy, place, (other) => {
      if (listedIn[other] !== place) others.push(other);
    });
    if (others.length === 0 || lacks > others.length) continue;
    const names = listEach(others, (other) => nodes[other]?.name ?? '');
    found.push({
      problem: 'peers_missing',
      component: 'node',
      name,
      summary: `${name} has lost its side of the connection with ${names}`,
      evidence: `${name} has ${peers} of ${target.expectedPeers} peers: it does not list ${names}, which ${others.length === 1 ? 'lists' : 'list'} it`,
      fix: `the p2p ports are open; ${commandToRestart(node)} while no other node is down`,
      explains: explain(node, 'peers'),
      causes: [],
    });
  }
  return found;
}

/** What is wrong with who is connected to whom. Where nodes are not connected at all, what only one side lists is not said. */
export function findMeshProblems({ nodes }: SubnetView): readonly Suspicion[] {
  if (!nodes.some((node) => !node.isOut && !node.isStarting && isShort(node))) return [];
  const mesh = findMesh(nodes);
  const holes = findHoles(mesh);
  const oneSided = findHalfConnected(mesh);
  if (oneSided.length === 0) return holes;
  const said = new Set(holes.flatMap(({ name, explains }) => [name, ...explains.map((each) => each.name)]));
  return [...holes, ...oneSided.filter(({ name }) => !said.has(name))];
}
