/** What makes a spreadsheet read a cell as a formula, also behind blanks. Source: OWASP, CSV injection. */
const FORMULA = /^\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** A value in a cell. What would be a formula gets an apostrophe before it, with which it is a text. */
function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n;\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A line of a CSV file (RFC 4180) that a spreadsheet takes for values only. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(toCell).join(',')}\r\n`;

/** The mark with which a spreadsheet knows that a file is UTF-8; its first characters. */
export const CSV_START = '\ufeff';
