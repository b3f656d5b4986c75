import type { AuditQuery } from '../../model/audit-trail.ts';
import type { AuditEvent } from '../../model/platform-store.ts';
import { MAX_INTEGER } from '../../model/resource.ts';
import type { Call, Json } from '../call.ts';
import { checkDigits } from '../check-value.ts';
import { fail, succeed } from '../outcome.ts';
import { PAGE_MEMBERS, pageSchema, readPage, toPage } from '../read-page.ts';
import {
  checkSort,
  describeParameter,
  describeSort,
  type ParameterKinds,
  type Parameters,
  readParameters,
} from '../read-parameters.ts';
import type { IdentifiedRequest } from '../request-context.ts';

const KINDS: ParameterKinds = new Map([
  ['sort', 'text'],
  ['since', 'date'],
  ['until', 'date'],
  ['IsSecurity', 'boolean'],
  ['Action', 'text'],
  ['Resource', 'text'],
  ['RecordID', 'integer'],
  ['UserID', 'integer'],
  ['IP', 'text'],
  ['RequestID', 'text'],
]);

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

function toQuery({ since, until, IsSecurity, Action, Resource, RecordID, UserID, IP, RequestID }: Parameters) {
  const text = (value: Parameters[string] | undefined) => (typeof value === 'string' ? value : undefined);
  const integer = (value: Parameters[string] | undefined) => (typeof value === 'number' ? value : undefined);
  return {
    since: text(since),
    until: text(until),
    action: text(Action),
    resource: text(Resource),
    recordId: integer(RecordID),
    owner: integer(UserID),
    ip: text(IP),
    requestId: text(RequestID),
    isSecurity: typeof IsSecurity === 'boolean' ? IsSecurity : undefined,
  } satisfies Partial<AuditQuery>;
}

async function answer({ store, query: sent }: IdentifiedRequest, _deps: unknown, segment: string) {
  const id = checkDigits(segment, 'the number at the end of the path', 0);
  if (!id.ok) return id;
  const page = readPage(sent);
  if (!page.ok) return page;
  const read = readParameters(sent, KINDS);
  if (!read.ok) return read;
  const sort = checkSort(String(read.value.sort ?? 'AuditID'), ['AuditID']);
  if (!sort.ok) return sort;
  if (id.value !== 0) {
    const [event] = await store.searchAudit({ after: id.value - 1, limit: 1 });
    if (event?.id !== id.value) return fail(1004, 'there is no event with that id; ListAll/0 lists them');
    return succeed({ items: [toItem(event)] });
  }
  const { after, limit } = page.value;
  const query = { ...toQuery(read.value), isDescending: sort.value.isDescending, limit: limit + 1 };
  const events = await store.searchAudit({ ...query, after: after > 0 ? after : undefined });
  return succeed(toPage(events.map(toItem), limit, 'AuditID'));
}

const integer: Json = { type: 'integer', minimum: 0, maximum: MAX_INTEGER };
const orNull = (type: string, description: string): Json => ({ type: [type, 'null'], description });
const anyValue: Json = { type: ['string', 'number', 'boolean', 'null'] };

const properties: Json = {
  AuditID: integer,
  Date: { type: 'string', format: 'date-time' },
  Action: {
    type: 'string',
    description:
      'Of a change: add, update; of a key rotate, revoke; of one-time codes enrol, renew, remove. Of the security log: what happened.',
  },
  Resource: { type: 'string', description: 'What it is about; Request when there is no record.' },
  RecordID: integer,
  StatedBy: orNull('integer', 'The admin user whom the request stated.'),
  UserID: orNull('integer', 'The admin user whose credential it was; null on the command line.'),
  Credential: { type: 'string', description: 'Such as key 3, token, session or command line.' },
  IP: orNull('string', 'The address of the client.'),
  RequestID: orNull('string', 'The x-request-id of the request.'),
  IsSecurity: { type: 'boolean', description: 'Whether it is of the security log, and no change.' },
  Changes: {
    type: 'object',
    description: 'Each member that changed, without secrets.',
    examples: [{ IsDeleted: { from: false, to: true } }],
    additionalProperties: {
      type: 'object',
      properties: { from: anyValue, to: anyValue },
      required: ['from', 'to'],
    },
  },
};

/** The audit trail and the security log, for callers with the scope `admin`. Beyond the specification. */
export const listAudit: Call = {
  id: 'listAudit',
  method: 'GET',
  path: '/Audit/ListAll/{id}',
  tag: 'Audit',
  summary: 'List the audit trail and the security log',
  description: 'Who changed what, and who tried. The oldest come first.',
  isSpecified: false,
  scope: 'admin',
  segment: {
    name: 'id',
    schema: { ...integer, description: '0 lists every event, any other number the one with that id.' },
  },
  query: [
    ...PAGE_MEMBERS,
    describeSort(['AuditID'], 'With -AuditID, the newest come first.'),
    describeParameter('since', 'date', 'Only events at this time or later.'),
    describeParameter('until', 'date', 'Only events before this time.'),
    describeParameter('IsSecurity', 'boolean', 'true for the security log only, false for changes only.'),
    describeParameter('Action', 'text', 'Only events with this Action.'),
    describeParameter('Resource', 'text', 'Only events about this Resource, as in Sector.'),
    describeParameter('RecordID', 'integer', 'Only events about the record with this id.'),
    describeParameter('UserID', 'integer', 'Only events by a credential of this admin user.'),
    describeParameter('IP', 'text', 'Only events from this address.'),
    describeParameter('RequestID', 'text', 'Only events of this request.'),
  ],
  data: pageSchema({ type: 'object', properties, required: Object.keys(properties) }),
  codes: [1002, 1003, 1004, 1005, 1009, 1011, 1012],
  answer,
};
