import type { NodeView } from './subnet-view.ts';

/**
 * For each place a list of places, all in one array: that of a place lies between its start and the start of the next one.
 * Thousands of nodes have hundreds of thousands of peers, and lists of their own would be most of the work.
 */
export interface PlaceLists {
  readonly starts: Int32Array;
  readonly places: Int32Array;
}

/** Who says that it is connected to whom, by places in `nodes`: all that run and have given their ids. */
export interface Mesh {
  readonly nodes: readonly NodeView[];
  /** The nodes that a node lists as its peers. */
  readonly lists: PlaceLists;
  /** The nodes that list it. */
  readonly listedBy: PlaceLists;
}

/** No place. */
export const NOWHERE = -1;

/** How long the list of a place is. */
export const lengthOf = ({ starts }: PlaceLists, place: number): number =>
  (starts[place + 1] ?? 0) - (starts[place] ?? 0);

/** Calls `visit` with each place in the list of a place, in their order. */
export function visitList({ starts, places }: PlaceLists, place: number, visit: (other: number) => void): void {
  const end = starts[place + 1] ?? 0;
  for (let at = starts[place] ?? 0; at < end; at += 1) visit(places[at] ?? 0);
}

/** The places whose lists name a place, in their order. */
function invert(lists: PlaceLists): PlaceLists {
  const starts = new Int32Array(lists.starts.length);
  const places = new Int32Array(lists.places.length);
  const add = (place: number, count: number) => {
    starts[place] = (starts[place] ?? 0) + count;
  };
  for (const other of lists.places) add(other + 1, 1);
  for (let place = 1; place < starts.length; place += 1) add(place, starts[place - 1] ?? 0);
  const free = starts.slice();
  for (let place = 0; place + 1 < starts.length; place += 1)
    visitList(lists, place, (other) => {
      const at = free[other] ?? 0;
      places[at] = place;
      free[other] = at + 1;
    });
  return { starts, places };
}

/** The nodes that each node lists as its peers. More than one may have given the same id: each counts. */
function findLists(nodes: readonly NodeView[]): PlaceLists {
  const firstOf = new Map<string, number>();
  /** By place: the next one with the same id. */
  const nextOf = new Int32Array(nodes.length);
  for (let place = nodes.length - 1; place >= 0; place -= 1) {
    const id = nodes[place]?.said?.observation.nodeId ?? '';
    nextOf[place] = firstOf.get(id) ?? NOWHERE;
    firstOf.set(id, place);
  }
  const starts = new Int32Array(nodes.length + 1);
  const places: number[] = [];
  for (let place = 0; place < nodes.length; place += 1) {
    for (const id of nodes[place]?.said?.observation.peerIds ?? [])
      for (let peer = firstOf.get(id) ?? NOWHERE; peer !== NOWHERE; peer = nextOf[peer] ?? NOWHERE)
        if (peer !== place) places.push(peer);
    starts[place + 1] = places.length;
  }
  return { starts, places: new Int32Array(places) };
}

/** The mesh of the nodes that run. Hundreds of thousands of peers are looked up, so nothing is made for each. */
export function findMesh(all: readonly NodeView[]): Mesh {
  const nodes = all.filter(
    ({ isOut, isStarting, said }) => !isOut && !isStarting && said?.observation.nodeId !== undefined,
  );
  const lists = findLists(nodes);
  return { nodes, lists, listedBy: invert(lists) };
}
