type Cells = Uint8Array | Uint16Array | Uint32Array;

/** Numbers of the newest spans of one length, such as hours since 1970: some cells for each. */
export interface Ring<Kind extends Cells = Cells> {
  readonly cells: Kind;
  /** How many spans are kept, and how many cells each has. */
  readonly kept: number;
  readonly width: number;
  /** The newest span that was written; 0 before the first one. */
  newest: number;
}

/** Creates a ring that has nothing, over cells that are all 0. */
export const createRing = <Kind extends Cells>(cells: Kind, kept: number): Ring<Kind> => ({
  cells,
  kept,
  width: cells.length / kept,
  newest: 0,
});

const placeOf = ({ kept, width }: Ring, span: number): number => (span % kept) * width;

/** Where the cells of a span begin, to write them; undefined when it is too old. */
export function openSpan(ring: Ring, span: number): number | undefined {
  const { cells, kept, width, newest } = ring;
  if (span <= newest - kept) return undefined;
  for (let later = Math.max(newest + 1, span - kept + 1); later <= span; later += 1) {
    const place = placeOf(ring, later);
    cells.fill(0, place, place + width);
  }
  ring.newest = Math.max(newest, span);
  return placeOf(ring, span);
}

/** Where the cells of a span begin, to read them; undefined when it is too old, or newer than all. */
export const findSpan = (ring: Ring, span: number): number | undefined =>
  span > ring.newest || span <= ring.newest - ring.kept ? undefined : placeOf(ring, span);
