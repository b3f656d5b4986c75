import type { Rows } from './parts.ts';
import type { Section } from './section.ts';

/** Rows that have other values, in ascending order: the first `count` of each. */
export interface Changes {
  readonly count: number;
  readonly rows: Uint32Array;
  readonly values: Float64Array;
}

/** Compares the samples that are read from units with the rows of a section. */
export interface Comparison extends Rows {
  /** Forgets what it has compared, and takes this section. */
  begin(section: Section): void;
  /** What is added from here on is of the unit at this place. Without it, a section must be empty. */
  beginUnit(place: number): void;
  endUnit(place: number): void;
  /** Whether the units have the same samples as in the section, whatever their values. */
  isLike(): boolean;
  changes(): Changes;
}

const FIRST_ROWS = 256;

/** Creates a comparison, which keeps its memory for the next one. */
export function createComparison(): Comparison {
  let starts = new Uint32Array(1);
  let keys: readonly string[] = [];
  let known = new Float64Array(0);
  let rows = new Uint32Array(FIRST_ROWS);
  let values = new Float64Array(FIRST_ROWS);
  let [row, count] = [0, 0];
  let isLike = true;

  const makeRoom = () => {
    const [larger, largerValues] = [new Uint32Array(2 * count), new Float64Array(2 * count)];
    larger.set(rows);
    largerValues.set(values);
    rows = larger;
    values = largerValues;
  };

  return {
    begin: (section) => {
      ({ starts, keys } = section as Section & { starts: Uint32Array<ArrayBuffer> });
      known = section.values as Float64Array<ArrayBuffer>;
      row = 0;
      count = 0;
      isLike = true;
    },
    beginUnit: (place) => {
      row = starts[place] as number;
    },
    add: (key, value) => {
      if (value === undefined) return;
      if (keys[row] !== key) isLike = false;
      if (known[row] !== value) {
        if (count === rows.length) makeRoom();
        rows[count] = row;
        values[count] = value;
        count += 1;
      }
      row += 1;
    },
    endUnit: (place) => {
      if (row !== starts[place + 1]) isLike = false;
    },
    isLike: () => isLike,
    changes: () => ({ count, rows, values }),
  };
}
