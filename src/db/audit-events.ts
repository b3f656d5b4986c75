import type { AuditEvent, Author } from '../model/platform-store.ts';
import type { Queries } from './tables.ts';

/** Writes one audit event, in the transaction of the change that it tells of. */
export async function addAuditEvent(
  db: Queries,
  author: Author,
  event: Pick<AuditEvent, 'action' | 'resource' | 'recordId' | 'changes'>,
): Promise<void> {
  await db
    .insertInto('audit_event')
    .values({
      at: author.at,
      action: event.action,
      resource: event.resource,
      record_id: event.recordId,
      stated_by: author.statedBy,
      owner_id: author.owner,
      credential: author.credential,
      ip: author.ip,
      changes: JSON.stringify(event.changes),
    })
    .execute();
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
