import { sql } from 'kysely';
import type { AuditEvent } from '../platform/model/platform-store.ts';
import { type Member, PASSWORD_MASK, type Resource, type Value } from '../platform/model/resource.ts';
import { nameOf } from './resource-columns.ts';
import type { Cell, Queries } from './tables.ts';

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
