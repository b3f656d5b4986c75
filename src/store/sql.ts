import type { DatabaseConnection } from './database-connection.ts';

/** What a column holds, in both databases. */
export type Cell = string | number | null;

/** A statement of plain SQL, or a part of one: what is between its parameters, and these. */
export interface Sql {
  readonly texts: readonly string[];
  readonly cells: readonly Cell[];
}

/** Parts one after the other. */
export function joinSql(parts: readonly Sql[], between: string): Sql {
  const all: string[] = [];
  for (const { texts } of parts) {
    const [first = '', ...rest] = texts;
    const last = all.pop();
    all.push(last === undefined ? first : `${last}${between}${first}`, ...rest);
  }
  return { texts: all, cells: parts.flatMap(({ cells }) => cells) };
}

const PARAMETER = ['', ''];

/** Values as a list: the inside of `in (…)`, with at least one. */
export const listSql = (cells: readonly Cell[]): Sql => ({
  texts: ['', ...cells.slice(1).map(() => ', '), ''],
  cells,
});

const isCell = (value: Cell | Sql): value is Cell => typeof value !== 'object' || value === null;

/** Plain SQL with values as its parameters, or with parts of SQL. */
export const sql = (texts: readonly string[], ...values: readonly (Cell | Sql)[]): Sql =>
  joinSql(
    texts.flatMap((text, index): readonly Sql[] => {
      const value = index === 0 ? undefined : values[index - 1];
      if (value === undefined) return [rawSql(text)];
      const part = isCell(value) ? { texts: PARAMETER, cells: [value] } : value;
      return [part, rawSql(text)];
    }),
    '',
  );

/** A name of our own as a part of a statement. */
export const rawSql = (text: string): Sql => ({ texts: [text], cells: [] });

/** A name as a part of a statement, quoted, as those of members have capitals. `table.column` is two names. */
export const nameSql = (name: string): Sql =>
  rawSql(
    name
      .split('.')
      .map((part) => `"${part}"`)
      .join('.'),
  );

/** Cells by their columns, as the inside of `set …`. */
export const setSql = (cells: Readonly<Record<string, Cell | Sql>>): Sql =>
  joinSql(
    Object.entries(cells).map(([column, cell]) => sql`${nameSql(column)} = ${cell}`),
    ', ',
  );

/** Cells by their columns, as an insert of one row into a table. `end` follows it, such as `returning id`. */
export const insertSql = (table: string, cells: Readonly<Record<string, Cell | Sql>>, end = ''): Sql => {
  const values = Object.values(cells);
  const head = `insert into ${table} (${Object.keys(cells).join(', ')}) values (`;
  const tail = `) ${end}`;
  // An add inserts two rows. To put their parts together one by one took a third of its processor time.
  if (values.every(isCell))
    return { texts: [head, ...Array.from({ length: values.length - 1 }, () => ', '), tail], cells: values };
  return sql`${rawSql(head)}${joinSql(
    values.map((value) => sql`${value}`),
    ', ',
  )}${rawSql(tail)}`;
};

/** Inserts a row, and resolves to its id. */
export async function insertId(run: Run, table: string, cells: Readonly<Record<string, Cell | Sql>>): Promise<number> {
  const [row] = await run<{ readonly id: number }>(insertSql(table, cells, 'returning id'));
  if (row === undefined) throw new Error(`the insert into ${table} gave no row`);
  return row.id;
}

/** The parameter of a statement that is built once and run with other ones. */
export const PLACEHOLDER = 0;

/** A statement that was built once, with other parameters. */
export const withCells = ({ texts }: Sql, cells: readonly Cell[]): Sql => ({ texts, cells });

/** Reads by a statement that was built once, with other parameters; on SQLite without even a promise. */
export type ReadPrepared = <Row>(statement: Sql, cells: readonly Cell[]) => readonly Row[] | Promise<readonly Row[]>;

/** Rows as the values of an insert. */
export const rowsSql = (rows: readonly (readonly Cell[])[]): Sql =>
  joinSql(
    rows.map((cells) => ({ texts: ['(', ...Array.from({ length: cells.length - 1 }, () => ', '), ')'], cells })),
    ', ',
  );

/** The text of a statement for a database. */
export const toText = ({ texts }: Sql, kind: DatabaseConnection['kind']): string =>
  kind === 'sqlite' ? texts.join('?') : texts.reduce((text, next, place) => `${text}$${place}${next}`);

/** Runs a statement and returns its rows. */
export type Run = <Row = unknown>(statement: Sql) => Promise<readonly Row[]>;
