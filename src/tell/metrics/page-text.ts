import type { Snapshot, SubnetState, TargetState } from '../../model/snapshot.ts';
import type { RoundName, Target } from '../../model/target.ts';
import { families } from './families.ts';
import { type Add, escapeLabel, type Family, type IntervalSeconds, type Samples } from './family.ts';
import { type Piece, toPiece } from './page-pieces.ts';

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

/** The text of a page by part. It is that of the last rendering. */
export type Columns = readonly {
  /** All of it. A piece whose samples are what they were is the same as before. */
  readonly pieces: readonly Piece[];
  /** That of named subnets. */
  ofSubnets(names: readonly string[]): Iterable<Piece>;
}[];

/** What is kept of a page. */
export interface PageText {
  /** Renders it in steps of a millisecond or so. */
  render(snapshot: Snapshot, view: View): Generator<void, Columns>;
}

/** So many rows are a piece: compressing one takes a third of a millisecond. */
const PIECE_ROWS = 512;

/** The samples of a part as they were last read, one in each row, those of all subnets. New ones are written over the old ones. */
interface Rows extends Part {
  readonly first: string[];
  readonly keys: string[];
  readonly values: number[];
  readonly pieces: Piece[];
  /** How many there were after the last rendering. */
  count: number;
  /** Where the next sample is written. */
  row: number;
  /** The last piece that was replaced by this rendering. */
  changed: number;
}

/** In flat strings: those that V8 puts together would keep all that they are made of, and take longer to copy. */
const labelsOf = ({ component, name }: Target, subnet: string) => {
  const named = `name="${escapeLabel(name)}"`;
  return {
    subnet,
    'subnet, name': [subnet, named].join(),
    'subnet, component, name': [subnet, `component="${component}"`, named].join(),
  };
};

type Labels = ReturnType<typeof labelsOf>;

/** Same for one subnet. */
interface SubnetView extends Pick<View, 'toWall'> {
  readonly subnet: string;
  readonly labels: readonly Labels[];
  readonly intervalSeconds: IntervalSeconds;
}

const toSeconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);

const toSubnetLabel = (name: string): string => `subnet="${escapeLabel(name)}"`;

/** The text of the piece that begins with a row; with `starts`, of the rows alone whose labels begin with one of them. */
function toText({ family, samples: { label }, first, keys, values }: Rows, from: number, starts?: readonly string[]) {
  const end = Math.min(values.length, from + PIECE_ROWS);
  const tails = new Map<string, string>();
  // Few parts, in flat strings: a third of the time.
  const next = ['\n', family.name, '{'].join('');
  let [text, head] = ['', next.slice(1)];
  for (let row = from; row < end; row += 1) {
    const [labels, key] = [first[row] as string, keys[row] as string];
    if (starts?.some((start) => labels.startsWith(start)) === false) continue;
    let tail = tails.get(key);
    if (tail === undefined) {
      tail = [label === '' ? key : `,${label}="${escapeLabel(key)}"`, '} '].join('');
      tails.set(key, tail);
    }
    text += head + labels + tail + values[row];
    head = next;
  }
  return text === '' ? '' : `${text}\n`;
}

/** About as long as the text between the labels and the value of a row. */
const REST_LENGTH = 20;

/** The piece that begins with a row. */
const toRowPiece = (rows: Rows, from: number): Piece => ({
  length: () =>
    Math.min(rows.values.length - from, PIECE_ROWS) *
    (rows.family.name.length + (rows.first[from] ?? '').length + REST_LENGTH),
  text: () => toText(rows, from),
  packed: undefined,
});

function* toPiecesOf(rows: Rows, subnets: readonly string[]): Generator<Piece> {
  const starts = subnets.map(toSubnetLabel);
  for (let from = 0; from < rows.values.length; from += PIECE_ROWS) {
    const text = toText(rows, from, starts);
    if (text !== '') yield toPiece(text);
  }
}

/** Reads the samples of a part from a subnet. A piece with one that is not what it was is replaced. */
function renew(rows: Rows, state: SubnetState, { subnet, labels, toWall, intervalSeconds }: SubnetView): void {
  const { family, samples, first, keys, values } = rows;
  let start = subnet;
  const add: Add = (key, read) => {
    if (read === undefined) return;
    const { row } = rows;
    const value = family.isTime ? toWall(read) / 1000 : read;
    if (first[row] !== start || keys[row] !== key || values[row] !== value) change(rows);
    // Equal strings are compared faster if they are one.
    first[row] = start;
    keys[row] = key;
    values[row] = value;
    rows.row += 1;
  };
  const { targets } = state;
  if (samples.of === 'subnet') samples.read(state, add);
  else
    for (let index = 0; index < targets.length; index += 1) {
      start = (labels[index] as Labels)[samples.first];
      samples.read(targets[index] as TargetState, add, intervalSeconds);
    }
}

/** Replaces the piece of the next row, once. */
function change(rows: Rows): void {
  const piece = Math.floor(rows.row / PIECE_ROWS);
  if (piece !== rows.changed) rows.pieces[piece] = toRowPiece(rows, piece * PIECE_ROWS);
  rows.changed = piece;
}

/** Ends a rendering: what is behind its last row goes, and so does the room that lists leave themselves to grow. */
function end(rows: Rows): void {
  const { row, count, first, keys, values, pieces } = rows;
  if (row === count) return;
  if (row < count) change(rows);
  pieces.length = Math.ceil(row / PIECE_ROWS);
  const exact = { first: first.slice(0, row), keys: keys.slice(0, row), values: values.slice(0, row) };
  Object.assign(rows, exact, { count: row });
}

/** Creates the text of a page, without a sample. */
export function createPageText(): PageText {
  const columns = parts.map(
    (part): Rows => ({ ...part, first: [], keys: [], values: [], pieces: [], count: 0, row: 0, changed: -1 }),
  );
  const known = new WeakMap<Target, Labels>();
  const findLabels = (target: Target, subnet: string): Labels => {
    const labels = known.get(target) ?? labelsOf(target, subnet);
    known.set(target, labels);
    return labels;
  };

  return {
    *render(snapshot, { toWall, intervalMs }) {
      for (const rows of columns) Object.assign(rows, { row: 0, changed: -1 });
      for (const state of snapshot) {
        const { name } = state.subnet;
        const subnet = toSubnetLabel(name);
        const labels = state.targets.map(({ target }) => findLabels(target, subnet));
        const intervals = new Map<RoundName, number | undefined>();
        const intervalSeconds: IntervalSeconds = (round) => {
          if (!intervals.has(round)) intervals.set(round, toSeconds(intervalMs(name, round)));
          return intervals.get(round);
        };
        for (const rows of columns) {
          yield;
          renew(rows, state, { subnet, labels, toWall, intervalSeconds });
        }
      }
      for (const rows of columns) end(rows);
      return columns.map((rows) => ({ pieces: rows.pieces, ofSubnets: (names) => toPiecesOf(rows, names) }));
    },
  };
}
