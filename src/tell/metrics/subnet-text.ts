import type { SubnetState, TargetState } from '../../model/snapshot.ts';
import type { RoundName, Target } from '../../model/target.ts';
import { families } from './families.ts';
import { type Add, escapeLabel, type Family, type IntervalSeconds, type Samples } from './family.ts';
import type { Piece } from './page-pieces.ts';

/** What values can depend on beside the state that they are read from. */
export interface View {
  readonly intervalMs: (subnet: string, round: RoundName) => number | undefined;
  /** The clock's. */
  readonly toWall: (at: number) => number;
}

/** Samples that are read in one way, and their family. */
interface Part {
  readonly family: Family;
  readonly samples: Samples;
}

/** In the order of the page. */
export const parts: readonly Part[] = families.flatMap((family) =>
  family.samples.map((samples) => ({ family, samples })),
);

/** The text of a subnet by part, in pieces. It is that of the last rendering. */
export type Columns = readonly { readonly pieces: readonly Piece[] }[];

/** What is kept of a subnet. */
export interface SubnetText {
  /** Renders the subnet in steps of a millisecond or so. A piece whose samples are what they were stays the same. */
  render(state: SubnetState, view: View): Generator<void, Columns>;
}

/** So many rows are a piece: compressing one takes a third of a millisecond. */
const PIECE_ROWS = 512;

/** The samples of a part as they were last read, one in each row. New ones are written over the old ones. */
interface Rows {
  readonly first: string[];
  readonly keys: string[];
  /** The text before each value. */
  readonly series: string[];
  readonly values: number[];
  readonly pieces: Piece[];
}

const labelsOf = ({ subnet, component, name }: Target) => ({
  subnet: `subnet="${escapeLabel(subnet)}"`,
  'subnet, name': `subnet="${escapeLabel(subnet)}",name="${escapeLabel(name)}"`,
  'subnet, component, name': `subnet="${escapeLabel(subnet)}",component="${component}",name="${escapeLabel(name)}"`,
});

type Labels = ReturnType<typeof labelsOf>;

/** Same for one subnet. */
interface SubnetView extends Pick<View, 'toWall'> {
  readonly intervalSeconds: IntervalSeconds;
}

const toSeconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);

/** In one flat string: one that V8 puts together would keep all that it is made of. */
const seriesOf = (name: string, first: string, label: string, key: string): string =>
  [name, '{', first, label === '' ? key : `,${label}="${escapeLabel(key)}"`, '} '].join('');

/** The piece that begins with a row. */
const toPiece = ({ series, values }: Rows, from: number): Piece => ({
  length: () => Math.min(values.length - from, PIECE_ROWS) * (series[from] ?? '').length,
  text: () => {
    const end = Math.min(values.length, from + PIECE_ROWS);
    let text = '';
    for (let row = from; row < end; row += 1) text += `${series[row]}${values[row]}\n`;
    return text;
  },
  packed: undefined,
});

/** Creates the text of a subnet, without a sample. */
export function createSubnetText(): SubnetText {
  const columns: readonly Rows[] = parts.map(() => ({ first: [], keys: [], series: [], values: [], pieces: [] }));
  const known = new WeakMap<Target, Labels>();
  const findLabels = (target: Target): Labels => {
    const labels = known.get(target) ?? labelsOf(target);
    known.set(target, labels);
    return labels;
  };

  /** Reads the samples of a part. A piece with one that is not what it was is replaced. */
  const renew = (
    place: number,
    state: SubnetState,
    labels: Record<keyof Labels, readonly string[]>,
    { toWall, intervalSeconds }: SubnetView,
  ) => {
    const { family, samples } = parts[place] as Part;
    const rows = columns[place] as Rows;
    const { first, keys, series, values, pieces } = rows;
    let [row, start, changed] = [0, '', -1];
    const change = () => {
      const piece = Math.floor(row / PIECE_ROWS);
      if (piece !== changed) pieces[piece] = toPiece(rows, piece * PIECE_ROWS);
      changed = piece;
    };
    const add: Add = (key, read) => {
      if (read === undefined) return;
      const value = family.isTime ? toWall(read) / 1000 : read;
      if (first[row] !== start || keys[row] !== key) {
        keys[row] = key;
        series[row] = seriesOf(family.name, start, samples.label, key);
        change();
      }
      // Equal strings are compared faster if they are one.
      first[row] = start;
      if (values[row] !== value) {
        values[row] = value;
        change();
      }
      row += 1;
    };
    if (samples.of === 'subnet') {
      start = `subnet="${escapeLabel(state.subnet.name)}"`;
      samples.read(state, add);
    } else {
      const { read } = samples;
      const starts = labels[samples.first];
      const { targets } = state;
      for (let index = 0; index < targets.length; index += 1) {
        start = starts[index] as string;
        read(targets[index] as TargetState, add, intervalSeconds);
      }
    }
    if (row === values.length) return;
    change();
    for (const list of [first, keys, series, values]) list.length = row;
    pieces.length = Math.ceil(row / PIECE_ROWS);
  };

  return {
    *render(state, { toWall, intervalMs }) {
      const found = state.targets.map(({ target }) => findLabels(target));
      const labels = {
        subnet: found.map(({ subnet }) => subnet),
        'subnet, name': found.map((one) => one['subnet, name']),
        'subnet, component, name': found.map((one) => one['subnet, component, name']),
      };
      const intervals = new Map<RoundName, number | undefined>();
      const intervalSeconds: IntervalSeconds = (round) => {
        if (!intervals.has(round)) intervals.set(round, toSeconds(intervalMs(state.subnet.name, round)));
        return intervals.get(round);
      };
      for (let place = 0; place < parts.length; place += 1) {
        yield;
        renew(place, state, labels, { toWall, intervalSeconds });
      }
      return columns;
    },
  };
}
