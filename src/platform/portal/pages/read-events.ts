import { type EventItem, listAudit } from '../../api/calls/list-audit.ts';
import type { Outcome } from '../../api/outcome.ts';
import type { Visit } from '../visit.ts';

/** Some events, the newest first, and the `after` of those that follow. */
export interface EventPage {
  readonly items: readonly EventItem[];
  readonly next?: number | undefined;
}

/** The filters of the page, by the names that the API has for them. */
const FILTERS = ['since', 'until', 'Action', 'Resource', 'RecordID', 'UserID', 'IP', 'RequestID'] as const;

/** What the filters of a request are set to; an empty field is not a filter. */
export const filtersOf = (query: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = (query.get(name) ?? '').trim();
      return value === '' ? [] : [[name, value]];
    }),
  );

/** The events that the filters of the visit leave, by the operation of the API. */
export async function readEvents(
  visit: Visit,
  isSecurity: boolean,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<Outcome<EventPage>> {
  const query = new URLSearchParams({
    ...filtersOf(visit.query),
    IsSecurity: String(isSecurity),
    sort: '-AuditID',
    limit: String(limit),
    ...(after !== undefined && { after }),
  });
  return listAudit.answer({ segment: '0', query }, visit.actor, visit.services);
}
