import type { AuditQuery } from '../platform/model/audit-trail.ts';
import type { AuditEvent, PlatformStore } from '../platform/model/platform-store.ts';
import type { Author } from '../platform/model/records.ts';
import { type Member, PASSWORD_MASK, type Resource, type Value } from '../platform/model/resource.ts';
import { type AuditRow, appendToTrail, forgetUntil } from './audit-chain.ts';
import type { InTransaction } from './in-transaction.ts';
import { nameOf } from './resource-columns.ts';
import { type Cell, joinSql, listSql, nameSql, type Run, rawSql, sql } from './sql.ts';

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
async function nameReferences(transaction: Run, { members }: Resource, changes: Changes): Promise<Changes> {
  const named = { ...changes };
  for (const member of members) {
    const change = member.kind === 'reference' ? changes[member.name] : undefined;
    if (member.kind !== 'reference' || change === undefined) continue;
    const { table, idMember } = member.to;
    const ids = [change.from, change.to].filter((id) => id !== null).map(Number);
    const rows = await transaction<{ id: number; name: string }>(sql`
      select id, ${nameSql(nameOf(member.to).column)} as name from ${nameSql(table)} where id in (${listSql(ids)})`);
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
  transaction: Run,
  resource: Resource,
  cells: Readonly<Record<string, Cell>>,
  before: Readonly<Record<string, Cell>> | undefined,
): Promise<Changes> => nameReferences(transaction, resource, compareMembers(resource, cells, before));

/** Writes one audit event, in the transaction of the change that it describes. */
export function addAuditEvent(
  transaction: Run,
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
        const [tooOld] = await transaction<{ id: number }>(sql`
          select id from audit_event where is_security = 1 order by id desc limit 1 offset ${most}`);
        const oldest = await transaction<Pick<AuditRow, 'id' | 'at' | 'hash'>>(sql`
          select id, at, hash from audit_event where is_security = 1 order by id limit ${SLICE}`);
        // From the beginning only, so that what is left is one chain.
        const kept = oldest.findIndex(({ id, at }) => at >= before && id > (tooOld?.id ?? 0));
        const last = oldest.at(kept < 0 ? -1 : kept - 1);
        if (last !== undefined && kept !== 0) {
          await transaction(sql`delete from audit_event where is_security = 1 and id <= ${last.id}`);
          forgetUntil(transaction, 'security', last);
        }
        await transaction(sql`delete from sign_in_address where at < ${before}`);
      }),
  };
}

/** An event as the database has it. */
interface EventRow extends Omit<AuditEvent, 'changes' | 'isSecurity'> {
  readonly changes: string;
  readonly isSecurity: number;
}

const COLUMNS = rawSql(`id, at, action, resource, record_id as "recordId", stated_by as "statedBy", owner_id as owner,
  credential, ip, changes, request_id as "requestId", is_security as "isSecurity"`);

/** The events of a query about changes or the security log, or both, at most `limit`. */
async function searchIn(
  run: Run,
  { isSecurity, since, until, isDescending = false, after, limit, ...equal }: AuditQuery,
): Promise<readonly AuditEvent[]> {
  const { action, resource, recordId, owner, ip, requestId } = equal;
  const columns = { action, resource, record_id: recordId, owner_id: owner, ip, request_id: requestId };
  const sought = { ...columns, is_security: isSecurity === undefined ? undefined : Number(isSecurity) };
  const conditions = [
    ...Object.entries(sought).flatMap(([column, value]) =>
      value === undefined ? [] : [sql`${nameSql(column)} = ${value}`],
    ),
    ...(since === undefined ? [] : [sql`at >= ${since}`]),
    ...(until === undefined ? [] : [sql`at < ${until}`]),
    ...(after === undefined ? [] : [isDescending ? sql`id < ${after}` : sql`id > ${after}`]),
  ];
  const where = conditions.length === 0 ? sql`` : sql`where ${joinSql(conditions, ' and ')}`;
  const order = rawSql(isDescending ? 'desc' : 'asc');
  const rows = await run<EventRow>(
    sql`select ${COLUMNS} from audit_event ${where} order by id ${order} limit ${limit}`,
  );
  return rows.map((row) => ({
    ...row,
    changes: JSON.parse(row.changes) as Changes,
    isSecurity: row.isSecurity === 1,
  }));
}

/** The events of a query, at most `limit`. */
export async function searchAuditEvents(run: Run, query: AuditQuery): Promise<readonly AuditEvent[]> {
  const { isSecurity, owner, ip, requestId, isDescending, limit } = query;
  if (isSecurity !== undefined || (owner ?? ip ?? requestId) === undefined) return searchIn(run, query);
  // Changes and the security log have indexes of their own.
  const found = await Promise.all([false, true].map((isOne) => searchIn(run, { ...query, isSecurity: isOne })));
  return found
    .flat()
    .toSorted((one, other) => (isDescending ? other.id - one.id : one.id - other.id))
    .slice(0, limit);
}
