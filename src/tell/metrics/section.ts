import type { Bytes, Piece } from './gzip-pieces.ts';

/**
 * The samples of one part of a page for some units, as text. A unit has any number of rows, and each row is a sample. New values are
 * written over the old ones, so whoever keeps something of a section copies it.
 */
export interface Section {
  /** Its text. With other values there is another piece, though in the same memory. */
  piece: Piece;
  /** The first row of each unit; behind the last one, the number of rows. */
  readonly starts: Uint32Array;
  /** By row. */
  readonly keys: readonly string[];
  readonly values: Float64Array;
  /** Where the text of each row ends. */
  readonly ends: Uint32Array;
}

/** A section of units that have no row. */
export const emptySection = (units: number): Section => ({
  piece: { bytes: Buffer.alloc(0), packed: undefined },
  starts: new Uint32Array(units + 1),
  keys: [],
  values: new Float64Array(0),
  ends: new Uint32Array(0),
});

/** Where the text of a row begins. */
export const startOf = ({ ends }: Section, row: number): number => (row === 0 ? 0 : (ends[row - 1] as number));

/** The text of the units from one place to before another. */
export const sliceSection = (section: Section, from: number, to: number): Bytes =>
  section.piece.bytes.subarray(
    startOf(section, section.starts[from] as number),
    startOf(section, section.starts[to] as number),
  );
