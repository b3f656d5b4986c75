import type { AuditEvent } from '../../model/platform-store.ts';
import { defineCall, INTEGER, idInPath, type Json, objectOf, orNull } from '../call.ts';
import { fail, succeed } from '../outcome.ts';
import { MAX_LIMIT, PAGE_MEMBERS, pageSchema, toPage } from '../read-page.ts';
import { parameter, sortParameter } from '../read-parameters.ts';

/** An event as the list shows it. */
const toItem = (event: AuditEvent) => ({
  AuditID: event.id,
  Date: event.at,
  Action: event.action,
  Resource: event.resource,
  RecordID: event.recordId,
  StatedBy: event.statedBy,
  UserID: event.owner,
  Credential: event.credential,
  IP: event.ip,
  RequestID: event.requestId,
  IsSecurity: event.isSecurity,
  Changes: event.changes,
});

/** An event of the list. */
export type EventItem = ReturnType<typeof toItem>;

const integer: Json = { ...INTEGER, minimum: 0 };
const anyValue: Json = { type: ['string', 'number', 'boolean', 'null'] };

const properties: Json = {
  AuditID: integer,
  Date: { type: 'string', format: 'date-time' },
  Action: {
    type: 'string',
    description:
      'For a change: add or update; for a key also rotate or revoke; for one-time codes enrol, renew or remove. In the security log: what happened.',
  },
  Resource: { type: 'string', description: 'The resource concerned; Request when there is no record.' },
  RecordID: integer,
  StatedBy: orNull('integer', { description: 'The admin user named in the request.' }),
  UserID: orNull('integer', { description: 'The admin user whose credential it was; null for the command line.' }),
  Credential: { type: 'string', description: 'Such as key 3, token, session or command line.' },
  IP: orNull('string', { description: 'The address of the client.' }),
  RequestID: orNull('string', { description: 'The x-request-id of the request.' }),
  IsSecurity: { type: 'boolean', description: 'Whether it belongs to the security log and is not a change.' },
  Changes: {
    type: 'object',
    description: 'Each member that changed, without secrets.',
    examples: [{ IsDeleted: { from: false, to: true } }],
    additionalProperties: objectOf({ from: anyValue, to: anyValue }),
  },
};

/** The audit trail and the security log, for callers with the scope `admin`. Beyond the specification. */
export const listAudit = defineCall({
  id: 'listAudit',
  method: 'GET',
  path: '/Audit/ListAll/{id}',
  tag: 'Audit',
  summary: 'List the audit trail and the security log',
  description: 'Who changed what, and who tried. The oldest come first.',
  scope: 'admin',
  segment: { id: idInPath('0 lists all events; any other number selects the event with that id.', 0) },
  query: {
    ...PAGE_MEMBERS,
    sort: sortParameter(['AuditID'], 'With -AuditID, the newest come first.'),
    since: parameter('date', 'Only events at this time or later.'),
    until: parameter('date', 'Only events before this time.'),
    IsSecurity: parameter('boolean', 'true for the security log only, false for changes only.'),
    Action: parameter('text', 'Only events with this Action.'),
    Resource: parameter('text', 'Only events about this Resource, such as Sector.'),
    RecordID: parameter('integer', 'Only events about the record with this id.'),
    UserID: parameter('integer', 'Only events by a credential of this admin user.'),
    IP: parameter('text', 'Only events from this address.'),
    RequestID: parameter('text', 'Only events of this request.'),
  },
  data: pageSchema(objectOf(properties)),
  codes: [1004],
  run: async ({ id, limit = MAX_LIMIT, after = 0, sort, ...where }, { store }) => {
    if (id !== 0) {
      const [event] = await store.searchAudit({ after: id - 1, limit: 1 });
      if (event?.id !== id) return fail(1004, 'there is no event with that id; ListAll/0 lists them');
      return succeed(toPage([toItem(event)], 1, 'AuditID'));
    }
    const events = await store.searchAudit({
      since: where.since,
      until: where.until,
      isSecurity: where.IsSecurity,
      action: where.Action,
      resource: where.Resource,
      recordId: where.RecordID,
      owner: where.UserID,
      ip: where.IP,
      requestId: where.RequestID,
      isDescending: sort?.isDescending ?? false,
      after: after > 0 ? after : undefined,
      limit: limit + 1,
    });
    return succeed(toPage(events.map(toItem), limit, 'AuditID'));
  },
});
