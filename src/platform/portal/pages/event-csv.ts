import type { EventItem } from '../../api/calls/list-audit.ts';
import type { Outcome } from '../../api/outcome.ts';
import { answerCsv } from '../csv.ts';
import { failurePage } from '../layout.ts';
import type { PortalAnswer, Visit } from '../visit.ts';
import { type EventPage, readEvents } from './read-events.ts';

/** The most events of a file. */
export const MOST_IN_CSV = 50_000;

const COLUMNS = [
  ...(['AuditID', 'Date', 'Action', 'Resource', 'RecordID', 'StatedBy', 'UserID', 'Credential', 'IP'] as const),
  ...(['RequestID', 'Changes'] as const),
];
const PAGE = 1_000;

async function* readPages(visit: Visit, isSecurity: boolean, first: EventPage): AsyncGenerator<readonly EventItem[]> {
  let page = first;
  for (let written = 0; ; ) {
    yield page.items;
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
  const name = isSecurity ? 'security-log' : 'audit-log';
  return answerCsv(visit, name, COLUMNS, readPages(visit, isSecurity, first.value));
}
