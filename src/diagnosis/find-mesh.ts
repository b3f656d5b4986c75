import type { NodeView } from './subnet-view.ts';

/**
 * For each id a list of ids, by their numbers, all in one array: that of an id lies between its start and the start of the next one.
 * Thousands of nodes have hundreds of thousands of peers, and lists of their own would be most of the work.
 */
export interface IdLists {
  readonly starts: Int32Array;
  readonly ids: Int32Array;
}

/**
 * Who says that it is connected to whom, by numbers of the ids that the running nodes gave. A list names an id, so nodes that gave
 * the same one count as one node: it has several names, or all are behind one address. Else thousands of them were millions of pairs.
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
  /** By id: the one that was last found to list it. */
  const listedIn = new Int32Array(nodesOf.length).fill(NO_ID);
  for (const [own, nodes] of nodesOf.entries()) {
    for (const { said } of nodes)
      for (const id of said?.observation.peerIds ?? []) {
        const peer = numbers.get(id);
        if (peer === undefined || listedIn[peer] === own) continue;
        listedIn[peer] = own;
        ids.push(peer);
      }
    starts[own + 1] = ids.length;
  }
  return { starts, ids: new Int32Array(ids) };
}

/** The mesh of the nodes that run. Hundreds of thousands of peers are looked up, so nothing is made for each. */
export function findMesh(all: readonly NodeView[]): Mesh {
  const numbers = new Map<string, number>();
  const nodesOf: NodeView[][] = [];
  for (const node of all) {
    const id = node.said?.observation.nodeId;
    if (node.isOut || node.isStarting || id === undefined) continue;
    const number = numbers.get(id) ?? nodesOf.length;
    numbers.set(id, number);
    if (number === nodesOf.length) nodesOf.push([node]);
    else nodesOf[number]?.push(node);
  }
  const lists = findLists(nodesOf, numbers);
  return { nodesOf, lists, listedBy: invert(lists) };
}
