import { listAudit } from '../../api/calls/list-audit.ts';
import type { Outcome } from '../../api/outcome.ts';
import type { Value } from '../../model/resource.ts';
import type { Visit } from '../visit.ts';

/** An event as the API lists it. */
export interface EventItem {
  readonly AuditID: number;
  readonly Date: string;
  readonly Action: string;
  readonly Resource: string;
  readonly RecordID: number;
  readonly StatedBy: number | null;
  readonly UserID: number | null;
  readonly Credential: string;
  readonly IP: string | null;
  readonly RequestID: string | null;
  readonly Changes: Readonly<Record<string, { readonly from: Value; readonly to: Value }>>;
}

/** Some events, the newest first, and the `after` of those that follow. */
export interface EventPage {
  readonly items: readonly EventItem[];
  readonly next?: number;
}

/** The filters of the page, by the names that the API has for them. */
export const FILTERS = ['since', 'until', 'Action', 'Resource', 'RecordID', 'UserID', 'IP', 'RequestID'] as const;

/** What the filters of a request are set to; an empty field is no filter. */
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
  const found = await listAudit.answer({ ...visit.request(), query }, visit.services, '0');
  return found as Outcome<EventPage>;
}
