import { createHash, createHmac, randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { TrailName } from '../model/audit-trail.ts';
import { deriveKey } from '../model/derive-key.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { type Cell, PLACEHOLDER, type Queries, type RunInTransaction, type Tables } from './tables.ts';

type Row = Selectable<Tables['audit_event']>;

/** What an audit event says, without what chains it. */
export type AuditContent = Omit<Row, 'id' | 'salt' | 'hash' | 'mac' | 'erased'>;

const digest = (cells: readonly Cell[]): string =>
  createHash('sha256').update(JSON.stringify(cells)).digest('base64url');

/** What may name a person, as a digest. Nobody guesses it back once its salt is deleted. */
export const commitTo = (salt: string, { ip, changes }: Pick<AuditContent, 'ip' | 'changes'>): string =>
  digest([salt, ip, changes]);

/** The hash of a row: over the hash of the row before it, and what it says. */
export const linkTo = (before: string, row: AuditContent, commitment: string): string =>
  digest([
    ...[before, row.at, row.action, row.resource, row.record_id, row.stated_by, row.owner_id, row.credential],
    ...[row.request_id, row.is_security, commitment],
  ]);

/** The key for the codes of rows. */
export const toTrailKey = (secret: string): Buffer => deriveKey(secret, 'audit trail');

/** The code that only a holder of the key can make for the hash of a row. */
export const authenticate = (key: Buffer, hash: string): string =>
  createHmac('sha256', key).update(hash).digest('base64url');

/** The chain to which a row belongs. */
export const trailOf = ({ is_security }: Pick<AuditContent, 'is_security'>): TrailName =>
  is_security === 1 ? 'security' : 'changes';

type Head = { -readonly [Name in keyof Tables['audit_chain']]: Tables['audit_chain'][Name] };

/** The ends of both chains, as the transaction that holds them sees and moves them. */
interface Held {
  readonly heads: ReadonlyMap<string, Head>;
  readonly changed: Set<Head>;
  readonly key: Buffer | undefined;
}

const held = new WeakMap<Queries, Held>();

const heldBy = (transaction: Queries): Held => {
  const found = held.get(transaction);
  if (found === undefined) throw new Error('the audit trail is written outside of its transaction');
  return found;
};

/**
 * Takes the ends of the chains for this transaction: on PostgreSQL other processes wait until it has ended, and SQLite has
 * one writer anyway.
 */
export async function holdTrail(
  transaction: Queries,
  kind: DatabaseConnection['kind'],
  key: Buffer | undefined,
): Promise<void> {
  if (held.has(transaction)) return;
  const lock = kind === 'postgres' ? sql` for update` : sql``;
  const { rows } = await sql<Head>`select * from audit_chain order by name${lock}`.execute(transaction);
  held.set(transaction, { heads: new Map(rows.map((head) => [head.name, head])), changed: new Set(), key });
}

const headOf = ({ heads, changed }: Held, name: TrailName): Head => {
  const head = heads.get(name);
  if (head === undefined) throw new Error(`the database has no head of the audit trail of ${name}; restore a backup`);
  changed.add(head);
  return head;
};

/** Writes where the chains end now. Before the commit of a transaction that holds them. */
export async function saveTrail(transaction: Queries): Promise<void> {
  const changed = held.get(transaction)?.changed ?? [];
  for (const { name, ...head } of changed)
    await transaction.updateTable('audit_chain').set(head).where('name', '=', name).execute();
}

const COLUMNS = [
  ...['at', 'action', 'resource', 'record_id', 'stated_by', 'owner_id', 'credential', 'ip', 'changes'],
  ...['request_id', 'is_security', 'salt', 'hash', 'mac'],
] as const;

const SALT_BYTES = 16;

/** Adds a row to the end of its chain. */
export async function appendToTrail(
  transaction: Queries,
  runInTransaction: RunInTransaction,
  content: AuditContent,
): Promise<void> {
  const state = heldBy(transaction);
  const head = headOf(state, trailOf(content));
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  const hash = linkTo(head.hash, content, commitTo(salt, content));
  const row = { ...content, salt, hash, mac: state.key === undefined ? null : authenticate(state.key, hash) };
  const [added] = await runInTransaction(
    transaction,
    'audit_event',
    () => sql<{ id: number }>`insert into audit_event (${sql.join(COLUMNS.map((column) => sql.id(column)))})
      values (${sql.join(COLUMNS.map(() => PLACEHOLDER))}) returning id`,
    COLUMNS.map((column) => row[column]),
  );
  head.last_id = added?.id ?? 0;
  head.hash = hash;
}

/** Remembers the last row that was deleted from the beginning of a chain: the first one that is left follows it. */
export function forgetUntil(transaction: Queries, name: TrailName, { id, hash }: Pick<Row, 'id' | 'hash'>): void {
  if (hash === null) return;
  const head = headOf(heldBy(transaction), name);
  head.removed_id = id;
  head.removed_hash = hash;
}
