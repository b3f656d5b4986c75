type Cells = Uint8Array | Uint16Array | Uint32Array | Float16Array | Float32Array;

interface CellsType<Kind extends Cells> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, offset: number, length: number): Kind;
}

const SLAB_BYTES = 256 * 1024;

/** Every kind of number begins on a multiple of its size. */
const ALIGNED_BYTES = 8;

let slab = new ArrayBuffer(0);
let used = 0;

/**
 * Creates cells that are all 0, in memory that they share with others for as long as one of those lives. In memory of their own, which V8
 * keeps a list of, those of a target take 200 bytes more.
 */
export function createCells<Kind extends Cells>(Type: CellsType<Kind>, length: number): Kind {
  const bytes = length * Type.BYTES_PER_ELEMENT;
  if (used + bytes > slab.byteLength) [slab, used] = [new ArrayBuffer(Math.max(SLAB_BYTES, bytes)), 0];
  const cells = new Type(slab, used, length);
  used += Math.ceil(bytes / ALIGNED_BYTES) * ALIGNED_BYTES;
  return cells;
}
