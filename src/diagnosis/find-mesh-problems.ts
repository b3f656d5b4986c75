import { listNames } from '../model/list-names.ts';
import type { Suspicion } from '../model/problem.ts';
import { explain, explainEach } from './explain-checks.ts';
import { commandToRestart } from './find-node-problems.ts';
import type { NodeView, SubnetView } from './subnet-view.ts';

type Places = readonly (readonly number[])[];

/** Who says that it is connected to whom, by places in `nodes`: all that run and have given their ids. */
interface Mesh {
  readonly nodes: readonly NodeView[];
  /** The nodes that a node lists as its peers. */
  readonly lists: Places;
  /** The nodes that list it. */
  readonly listedBy: Places;
}

function findMesh(all: readonly NodeView[]): Mesh {
  const nodes = all.filter(
    ({ isOut, isStarting, said }) => !isOut && !isStarting && said?.observation.nodeId !== undefined,
  );
  const byId = new Map<string, number[]>();
  for (const [place, { said }] of nodes.entries()) {
    const id = said?.observation.nodeId ?? '';
    const places = byId.get(id);
    if (places === undefined) byId.set(id, [place]);
    else places.push(place);
  }
  const lists: number[][] = nodes.map(() => []);
  const listedBy: number[][] = nodes.map(() => []);
  for (const [place, { said }] of nodes.entries())
    for (const id of said?.observation.peerIds ?? [])
      for (const peer of byId.get(id) ?? []) {
        if (peer === place) continue;
        lists[place]?.push(peer);
        listedBy[peer]?.push(place);
      }
  return { nodes, lists, listedBy };
}

/** Whether a node has fewer peers than it should have, and says which. */
const isShort = ({ peers = 0, target, said }: NodeView): boolean =>
  peers < target.expectedPeers && said?.observation.peerIds !== undefined;

/** Pairs of running nodes that are not connected, by what both say of their peers. Each node is named once, with all it misses. */
function findHoles({ nodes, lists, listedBy }: Mesh): readonly Suspicion[] {
  const short = nodes.map(isShort);
  /** By place: the node that was last found to be connected to it. */
  const connectedTo = nodes.map(() => -1);
  /** Marks the nodes that one is connected to, and counts those of them that are short too. */
  const mark = (place: number): number => {
    let count = 0;
    for (const list of [lists[place], listedBy[place]])
      for (const other of list ?? []) {
        if (connectedTo[other] === place) continue;
        connectedTo[other] = place;
        if (short[other]) count += 1;
      }
    return count;
  };
  let left = [...nodes.keys()].filter((place) => short[place]);
  const counts = nodes.map(() => 0);
  for (const place of left) counts[place] = mark(place);
  // The node that misses most comes first. What is left shrinks to what that one is connected to, so few pairs are looked at.
  const inOrder = left.toSorted((one, other) => (counts[one] ?? 0) - (counts[other] ?? 0));
  const isSaid = nodes.map(() => false);
  const found: Suspicion[] = [];
  for (const place of inOrder) {
    const node = nodes[place];
    if (node === undefined || isSaid[place]) continue;
    mark(place);
    connectedTo[place] = place;
    const missing = left.filter((other) => connectedTo[other] !== place);
    if (missing.length === 0) continue;
    for (const one of [place, ...missing]) isSaid[one] = true;
    left = left.filter((other) => !isSaid[other]);
    const missed = missing.flatMap((other) => nodes[other] ?? []);
    const names = listNames(missed.map(({ name }) => name));
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
  const listedIn = nodes.map(() => -1);
  for (const [place, node] of nodes.entries()) {
    const { name, peers, target } = node;
    if (peers === undefined || !isShort(node)) continue;
    for (const other of lists[place] ?? []) listedIn[other] = place;
    const others = (listedBy[place] ?? []).filter((other) => listedIn[other] !== place);
    if (others.length === 0 || target.expectedPeers - peers > others.length) continue;
    const names = listNames(others.map((other) => nodes[other]?.name ?? ''));
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
