import type { Uptime } from '../../model/history.ts';

/** The parts of an uptime, in the order of the cells. */
const PARTS = ['ok', 'fail', 'unseen', 'planned'] as const;

/** How many cells the time of a target takes. */
export const TIME_CELLS = PARTS.length;

/** How long each target was in each state within an hour or a day: a row of `TIME_CELLS` cells, in milliseconds, at the place of each. */
export const createTimeCells = (places: number): Uint32Array<ArrayBuffer> => new Uint32Array(places * TIME_CELLS);

/** Adds milliseconds to the time of the target at a place. */
export function addTime(cells: Uint32Array, place: number, part: keyof Uptime, ms: number): void {
  const cell = place * TIME_CELLS + PARTS.indexOf(part);
  cells[cell] = (cells[cell] ?? 0) + Math.round(ms);
}

/** Whether nothing is known of the target at a place. */
export function hasNoTime(cells: Uint32Array, place: number): boolean {
  for (let cell = place * TIME_CELLS; cell < (place + 1) * TIME_CELLS; cell += 1) if (cells[cell] !== 0) return false;
  return true;
}

/** The time of the target at a place; undefined when it was not watched. */
export function readTime(cells: Uint32Array, place: number): Uptime | undefined {
  if (hasNoTime(cells, place)) return undefined;
  const [ok = 0, fail = 0, unseen = 0, planned = 0] = cells.subarray(place * TIME_CELLS, (place + 1) * TIME_CELLS);
  return { ok, fail, unseen, planned };
}

type Cells = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** Copies rows of `width` cells: to each row the earlier row that `from` names. A row that is new, -1 there, stays as it is. */
export function moveRows(cells: Cells, moved: Cells, from: Int32Array, width = 1): void {
  for (const [row, earlier] of from.entries()) {
    if (earlier === -1) continue;
    for (let cell = 0; cell < width; cell += 1) moved[row * width + cell] = cells[earlier * width + cell] ?? 0;
  }
}

/**
 * A table of numbers: a column for each of the newest spans of one length, such as hours since 1970, with a row of cells for each
 * target or check. A span in which nothing was recorded has no column, and takes no memory.
 */
export interface Columns<Column> {
  /** The column of a span, which may be new; undefined when the span is too old. */
  open(span: number): Column | undefined;
  /** Undefined where nothing was recorded. */
  read(span: number): Column | undefined;
  /** The newest span; 0 before the first one. */
  readonly newest: () => number;
  /** Rearranges the rows: by place, the earlier place of each row, or -1 of one that is new. */
  move(from: Int32Array): void;
}

/** Creates a table without a row that keeps the newest `kept` spans. `create` makes a column of `rows` rows, each of `width` cells. */
export function createColumns<Column extends Cells>(
  kept: number,
  create: (rows: number) => Column,
  width = 1,
): Columns<Column> {
  let columns = new Map<number, Column>();
  let rows = 0;
  let newest = 0;
  return {
    open: (span) => {
      if (span <= newest - kept) return undefined;
      if (span > newest) {
        newest = span;
        for (const old of columns.keys()) if (old <= newest - kept) columns.delete(old);
      }
      const column = columns.get(span) ?? create(rows);
      columns.set(span, column);
      return column;
    },
    read: (span) => columns.get(span),
    newest: () => newest,
    move: (from) => {
      rows = from.length;
      columns = new Map(
        [...columns].map(([span, column]) => {
          const moved = create(rows);
          moveRows(column, moved, from, width);
          return [span, moved];
        }),
      );
    },
  };
}
