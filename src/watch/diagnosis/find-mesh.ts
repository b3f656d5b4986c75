import type { NodeView } from './subnet-view.ts';

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
