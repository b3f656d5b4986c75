import { sql } from 'kysely';
import type { AuditEvent, Author } from '../model/platform-store.ts';
import type { Queries, RunOn } from './tables.ts';

const COLUMNS = ['at', 'action', 'resource', 'record_id', 'stated_by', 'owner_id', 'credential', 'ip', 'changes'];

/** Writes one audit event, in the transaction of the change that it tells of. */
export async function addAuditEvent(
  on: Queries,
  runOn: RunOn,
  { at, statedBy, owner, credential, ip }: Author,
  { action, resource, recordId, changes }: Pick<AuditEvent, 'action' | 'resource' | 'recordId' | 'changes'>,
): Promise<void> {
  await runOn(
    on,
    'audit_event',
    () => sql`insert into audit_event (${sql.join(COLUMNS.map((column) => sql.id(column)))})
      values (${sql.join(COLUMNS.map(() => 0))})`,
    [at, action, resource, recordId, statedBy, owner, credential, ip, JSON.stringify(changes)],
  );
}

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
  return rows.map(({ record_id, stated_by, owner_id, changes, ...row }) => ({
    ...row,
    recordId: record_id,
    statedBy: stated_by,
    owner: owner_id,
    changes: JSON.parse(changes) as AuditEvent['changes'],
  }));
}
