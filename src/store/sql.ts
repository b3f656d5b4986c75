import type { DatabaseConnection } from './database-connection.ts';
import type { Cell } from './tables.ts';

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

/** Plain SQL with values as its parameters, or with parts of SQL. */
export const sql = (texts: readonly string[], ...values: readonly (Cell | Sql)[]): Sql =>
  joinSql(
    texts.flatMap((text, index): readonly Sql[] => {
      const value = index === 0 ? undefined : values[index - 1];
      if (value === undefined) return [rawSql(text)];
      const part = typeof value === 'object' && value !== null ? value : { texts: PARAMETER, cells: [value] };
      return [part, rawSql(text)];
    }),
    '',
  );

/** A name of our own as a part of a statement. */
export const rawSql = (text: string): Sql => ({ texts: [text], cells: [] });

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
