import { answerStream } from '../api/envelope.ts';
import type { Visit } from './visit.ts';

/**
 * What makes a spreadsheet read a cell as a formula, also behind blanks (source: OWASP, CSV injection); behind apostrophes, so
 * that the one before it can be told from those of the text.
 */
const FORMULA = /^'*\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** A value in a cell. What would be a formula gets an apostrophe before it, with which it is a text. */
function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n;\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The text of a cell that `csvLine` has written: without the apostrophe before what would be a formula. */
export const fromCell = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;

/** A line of a CSV file (RFC 4180) that a spreadsheet takes for values only. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(toCell).join(',')}\r\n`;

/** The mark with which a spreadsheet knows that a file is UTF-8; its first characters. */
const CSV_START = '\ufeff';

async function* write(
  columns: readonly string[],
  pages: AsyncIterable<readonly Readonly<Record<string, unknown>>[]>,
): AsyncGenerator<string> {
  yield CSV_START + csvLine(columns);
  for await (const items of pages) yield items.map((item) => csvLine(columns.map((name) => item[name]))).join('');
}

/** Items as a file for spreadsheets, a page after the other, so memory does not grow with their number. */
export function answerCsv(
  { now, context }: Visit,
  name: string,
  columns: readonly string[],
  pages: AsyncIterable<readonly Readonly<Record<string, unknown>>[]>,
): Response {
  const day = new Date(now).toISOString().slice(0, 10);
  const headers = {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="subnetd-${name}-${day}.csv"`,
  };
  return answerStream(write(columns, pages), headers, context.reportError, context.breakOff);
}
