import { type Selectable, sql } from 'kysely';
import type { AuditQuery } from '../platform/model/audit-trail.ts';
import type { AuditEvent, PlatformStore } from '../platform/model/platform-store.ts';
import type { Author } from '../platform/model/records.ts';
import { type Member, PASSWORD_MASK, type Resource, type Value } from '../platform/model/resource.ts';
import { appendToTrail, forgetUntil } from './audit-chain.ts';
import type { InTransaction } from './in-transaction.ts';
import { nameOf } from './resource-columns.ts';
import type { Cell, Queries, Tables } from './tables.ts';

type Changes = AuditEvent['changes'];

/** A cell as the audit trail shows it. Of a password, only that there is one. */
function toAuditValue(kind: Member['kind'], cell: Cell): Value {
  if (cell === null) return null;
  if (kind === 'password') return PASSWORD_MASK;
  return kind === 'boolean' ? cell === 1 : cell;
}

/** The old and new value of each member that differs. */
function compareMembers(
  { members }: Resource,
  cells: Readonly<Record<string, Cell>>,
  before: Readonly<Record<string, Cell>> | undefined,
): Changes {
  const changes: Record<string, Changes[string]> = {};
  for (const { kind, name, column } of members) {
    const to = cells[column];
    const from = before?.[column] ?? null;
    if (to === undefined || to === from) continue;
    changes[name] = { from: toAuditValue(kind, from), to: toAuditValue(kind, to) };
  }
  return changes;
}

/** Adds the record's name of that time to its id, because an id alone says nothing to readers of the trail. */
async function nameReferences(transaction: Queries, { members }: Resource, changes: Changes): Promise<Changes> {
  const named = { ...changes };
  for (const member of members) {
    const change = member.kind === 'reference' ? changes[member.name] : undefined;
    if (member.kind !== 'reference' || change === undefined) continue;
    const { table, idMember } = member.to;
    const ids = [change.from, change.to].filter((id) => id !== null);
    const { rows } = await sql<{ id: number; name: string }>`
      select id, ${sql.ref(nameOf(member.to).column)} as name from ${sql.table(table)}
      where id in (${sql.join(ids)})`.execute(transaction);
    const findName = (id: Value): Value => rows.find((row) => row.id === id)?.name ?? null;
    named[idMember] = change;
    named[member.name] = { from: findName(change.from), to: findName(change.to) };
  }
  return named;
}

/**
 * What a write changes, for the audit trail. `cells` are those that it sets, `before` the row that it updates; undefined
 * for an insert.
 */
export const auditChanges = (
  transaction: Queries,
  resource: Resource,
  cells: Readonly<Record<string, Cell>>,
  before: Readonly<Record<string, Cell>> | undefined,
): Promise<Changes> => nameReferences(transaction, resource, compareMembers(resource, cells, before));

/** Writes one audit event, in the transaction of the change that it describes. */
export function addAuditEvent(
  transaction: Queries,
  { at, statedBy, owner, credential, ip, requestId }: Author,
  { action, resource, recordId, changes }: Pick<AuditEvent, 'action' | 'resource' | 'recordId' | 'changes'>,
): void {
  appendToTrail(transaction, {
    ...{ at, action, resource, credential, ip, record_id: recordId, stated_by: statedBy, owner_id: owner },
    ...{ changes: JSON.stringify(changes), request_id: requestId ?? null, is_security: 0 },
  });
}

/** How many rows are read and deleted at once, so that nobody waits long. The oldest have the lowest ids. */
const SLICE = 1_000;

/** The security log, in the table of the audit trail. */
export function createSecurityEvents(
  inTransaction: InTransaction,
): Pick<PlatformStore, 'addSecurityEvents' | 'trimSecurityEvents'> {
  return {
    addSecurityEvents: (events) =>
      inTransaction(async (transaction) => {
        for (const { at, action, subject, owner, credential, ip, requestId, detail, count } of events) {
          const changes = {
            ...(detail && { [detail.name]: { from: null, to: detail.value } }),
            ...(count > 1 && { Count: { from: null, to: count } }),
          };
          const { resource, id } = subject ?? { resource: 'Request', id: 0 };
          appendToTrail(transaction, {
            ...{ at, action, resource, credential, ip, record_id: id, stated_by: null, owner_id: owner },
            ...{ changes: JSON.stringify(changes), request_id: requestId, is_security: 1 },
          });
        }
      }),
    trimSecurityEvents: (before, most) =>
      inTransaction(async (transaction) => {
        const { rows } = await sql<{ id: number }>`
          select id from audit_event where is_security = 1 order by id desc limit 1 offset ${most}`.execute(
          transaction,
        );
        const oldest = await sql<{ id: number; at: string; hash: string | null }>`
          select id, at, hash from audit_event where is_security = 1 order by id limit ${SLICE}`.execute(transaction);
        // From the beginning only, so that what is left is one chain.
        const kept = oldest.rows.findIndex(({ id, at }) => at >= before && id > (rows[0]?.id ?? 0));
        const last = oldest.rows.at(kept < 0 ? -1 : kept - 1);
        if (last !== undefined && kept !== 0) {
          await sql`delete from audit_event where is_security = 1 and id <= ${last.id}`.execute(transaction);
          forgetUntil(transaction, 'security', last);
        }
        await transaction.deleteFrom('sign_in_address').where('at', '<', before).execute();
      }),
  };
}

const toAuditEvent = ({
  record_id,
  stated_by,
  owner_id,
  changes,
  request_id,
  is_security,
  salt: _salt,
  hash: _hash,
  mac: _mac,
  erased: _erased,
  ...row
}: Selectable<Tables['audit_event']>): AuditEvent => ({
  ...row,
  requestId: request_id,
  isSecurity: is_security === 1,
  recordId: record_id,
  statedBy: stated_by,
  owner: owner_id,
  changes: JSON.parse(changes) as AuditEvent['changes'],
});

/** Audit events with an id above `after` and not before `since` (ISO 8601), by id, at most `limit`. */
export async function listAuditEvents(
  db: Queries,
  since: string,
  after: number,
  limit: number,
): Promise<readonly AuditEvent[]> {
  const rows = await db
    .selectFrom('audit_event')
    .selectAll()
    .where('at', '>=', since)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toAuditEvent);
}

/** The changes of one record, the newest first, at most `limit`. */
export async function listChanges(
  db: Queries,
  resource: string,
  recordId: number,
  limit: number,
): Promise<readonly AuditEvent[]> {
  const rows = await db
    .selectFrom('audit_event')
    .selectAll()
    .where('resource', '=', resource)
    .where('record_id', '=', recordId)
    .where('is_security', '=', 0)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toAuditEvent);
}

/** The events of a query about changes or the security log, or both, at most `limit`. */
async function searchIn(
  db: Queries,
  { isSecurity, since, until, isDescending = false, after, limit, ...equal }: AuditQuery,
): Promise<readonly AuditEvent[]> {
  const { action, resource, recordId, owner, ip, requestId } = equal;
  const columns = { action, resource, record_id: recordId, owner_id: owner, ip, request_id: requestId };
  const sought = { ...columns, is_security: isSecurity === undefined ? undefined : Number(isSecurity) };
  let events = db.selectFrom('audit_event').selectAll();
  for (const [column, value] of Object.entries(sought))
    if (value !== undefined) events = events.where(sql.ref(column), '=', value);
  if (since !== undefined) events = events.where('at', '>=', since);
  if (until !== undefined) events = events.where('at', '<', until);
  if (after !== undefined) events = events.where('id', isDescending ? '<' : '>', after);
  const rows = await events
    .orderBy('id', isDescending ? 'desc' : 'asc')
    .limit(limit)
    .execute();
  return rows.map(toAuditEvent);
}

/** The events of a query, at most `limit`. */
export async function searchAuditEvents(db: Queries, query: AuditQuery): Promise<readonly AuditEvent[]> {
  const { isSecurity, owner, ip, requestId, isDescending, limit } = query;
  if (isSecurity !== undefined || (owner ?? ip ?? requestId) === undefined) return searchIn(db, query);
  // Changes and the security log have indexes of their own.
  const found = await Promise.all([false, true].map((isOne) => searchIn(db, { ...query, isSecurity: isOne })));
  return found
    .flat()
    .toSorted((one, other) => (isDescending ? other.id - one.id : one.id - other.id))
    .slice(0, limit);
}
