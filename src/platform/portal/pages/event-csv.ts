import { answerStream } from '../../api/envelope.ts';
import type { Outcome } from '../../api/outcome.ts';
import { failurePage } from '../layout.ts';
import type { PortalAnswer, Visit } from '../visit.ts';
import { type EventPage, readEvents } from './read-events.ts';

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
const CSV_START = '\ufeff';

/** The most events of a file. */
export const MOST_IN_CSV = 50_000;

const COLUMNS = [
  ...(['AuditID', 'Date', 'Action', 'Resource', 'RecordID', 'StatedBy', 'UserID', 'Credential', 'IP'] as const),
  ...(['RequestID', 'Changes'] as const),
];
const PAGE = 1_000;

/** Reads and writes a page at a time, so memory does not grow with the log. */
async function* write(visit: Visit, isSecurity: boolean, first: EventPage): AsyncGenerator<string> {
  yield CSV_START + csvLine(COLUMNS);
  let page = first;
  for (let written = 0; ; ) {
    yield page.items.map((item) => csvLine(COLUMNS.map((name) => item[name]))).join('');
    written += page.items.length;
    if (page.next === undefined || written >= MOST_IN_CSV) return;
    const read: Outcome<EventPage> = await readEvents(visit, isSecurity, { limit: PAGE, after: String(page.next) });
    if (!read.ok) throw new Error(read.failure.message);
    page = read.value;
  }
}

/** The events of the filters as a file for spreadsheets, the newest first. */
export async function eventCsv(visit: Visit, isSecurity: boolean): Promise<PortalAnswer> {
  const first = await readEvents(visit, isSecurity, { limit: PAGE });
  if (!first.ok) return failurePage(first.failure);
  const { context } = visit;
  const day = new Date(visit.now).toISOString().slice(0, 10);
  const headers = {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="subnetd-${isSecurity ? 'security' : 'audit'}-log-${day}.csv"`,
  };
  return answerStream(write(visit, isSecurity, first.value), headers, context.reportError, context.breakOff);
}
