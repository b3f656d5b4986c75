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
