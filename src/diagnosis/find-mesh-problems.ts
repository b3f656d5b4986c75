import { listEach } from '../model/list-names.ts';
import type { Suspicion } from '../model/problem.ts';
import { explainEach } from './explain-checks.ts';
import { findMesh, type Mesh, NO_ID, visitList } from './find-mesh.ts';
import { commandToRestart } from './find-node-problems.ts';
import type { NodeView, SubnetView } from './subnet-view.ts';

/** Whether a node has fewer peers than it should have, and says which. */
const isShort = ({ peers = 0, target, said }: NodeView): boolean =>
  peers < target.expectedPeers && said?.observation.peerIds !== undefined;

/** Pairs of running nodes that are not connected, by what both say of their peers. Each node is named once, with all it misses. */
function findHoles({ nodesOf, lists, listedBy }: Mesh): readonly Suspicion[] {
  const short = nodesOf.map((nodes) => nodes.some(isShort));
  const shortOf = (id: number): readonly NodeView[] => nodesOf[id]?.filter(isShort) ?? [];
  /** By id: the one that was last found to be connected to it. */
  const connectedTo = new Int32Array(nodesOf.length).fill(NO_ID);
  /** Marks the ids that one is connected to, and counts those of them that are short too. */
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
  // The one that misses most comes first. What is left shrinks to what that one is connected to, so few pairs are looked at.
  const inOrder = left.toSorted((one, other) => (counts[one] ?? 0) - (counts[other] ?? 0));
  const isSaid = new Uint8Array(nodesOf.length);
  const found: Suspicion[] = [];
  for (const id of inOrder) {
    if (isSaid[id]) continue;
    mark(id);
    connectedTo[id] = id;
    const missing = left.filter((other) => connectedTo[other] !== id);
    const nodes = missing.length === 0 ? [] : shortOf(id);
    const [node] = nodes;
    if (node === undefined) continue;
    isSaid[id] = 1;
    for (const one of missing) isSaid[one] = 1;
    left = left.filter((other) => !isSaid[other]);
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
function findHalfConnected({ nodesOf, lists, listedBy }: Mesh): readonly Suspicion[] {
  const found: Suspicion[] = [];
  /** By id: the one that was last found to list it. */
  const listedIn = new Int32Array(nodesOf.length).fill(NO_ID);
  for (let id = 0; id < nodesOf.length; id += 1) {
    const node = nodesOf[id]?.find(isShort);
    if (node?.peers === undefined) continue;
    const { name, peers, target } = node;
    const lacks = target.expectedPeers - peers;
    visitList(lists, id, (other) => {
      listedIn[other] = id;
    });
    // Expected peers are counted by nodes, so those of one id count as many. Of thousands that are short, few have lost as many.
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
