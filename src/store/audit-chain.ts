import { createHmac, hash as hashOnce, randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { deriveKey } from '../lib/derive-key.ts';
import type { TrailName } from '../platform/model/audit-trail.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { READ_ENDS } from './lend-sqlite.ts';
import { type Cell, PLACEHOLDER, type Queries, type RunInTransaction, type Tables } from './tables.ts';

type Row = Selectable<Tables['audit_event']>;

/** What an audit event says, without what chains it. */
export type AuditContent = Omit<Row, 'id' | 'salt' | 'hash' | 'mac' | 'erased'>;

const digest = (cells: readonly Cell[]): string => hashOnce('sha256', JSON.stringify(cells), 'base64url');

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

/** What a transaction adds to the trail, and takes from its beginning. */
interface Trail {
  readonly kind: DatabaseConnection['kind'];
  readonly key: Buffer | undefined;
  readonly added: AuditContent[];
  readonly removed: Map<TrailName, Pick<Row, 'id' | 'hash'>>;
}

const trails = new WeakMap<Queries, Trail>();

const trailIn = (transaction: Queries): Trail => {
  const trail = trails.get(transaction);
  if (trail === undefined) throw new Error('the audit trail is written outside of its transaction');
  return trail;
};

/** Lets the transaction write to the trail. */
export function beginTrail(transaction: Queries, kind: DatabaseConnection['kind'], key: Buffer | undefined): void {
  if (!trails.has(transaction)) trails.set(transaction, { kind, key, added: [], removed: new Map() });
}

const COLUMNS = [
  ...['at', 'action', 'resource', 'record_id', 'stated_by', 'owner_id', 'credential', 'ip', 'changes'],
  ...['request_id', 'is_security', 'salt', 'hash', 'mac'],
] as const;

const SALT_BYTES = 16;

/** Random bytes of the salts to come. To ask for those of one costs as much as for those of hundreds. */
let salts = Buffer.alloc(0);

export function makeSalt(): string {
  if (salts.length === 0) salts = randomBytes(256 * SALT_BYTES);
  const salt = salts.subarray(0, SALT_BYTES).toString('base64url');
  salts = salts.subarray(SALT_BYTES);
  return salt;
}

/** Adds a row to the end of its chain, when the transaction commits. */
export function appendToTrail(transaction: Queries, content: AuditContent): void {
  trailIn(transaction).added.push(content);
}

/** Remembers the last row that was deleted from the beginning of a chain: the first one that is left follows it. */
export function forgetUntil(transaction: Queries, name: TrailName, row: Pick<Row, 'id' | 'hash'>): void {
  if (row.hash !== null) trailIn(transaction).removed.set(name, row);
}

/**
 * Writes what a transaction adds to the trail, and takes from its beginning. A trigger notes where the chain ends then. Right before
 * the commit, as PostgreSQL lets others that write to the trail wait from here on.
 */
export async function saveTrail(transaction: Queries, runInTransaction: RunInTransaction): Promise<void> {
  const trail = trails.get(transaction);
  if (trail === undefined || (trail.added.length === 0 && trail.removed.size === 0)) return;
  const lock = trail.kind === 'postgres' ? sql` for update` : sql``;
  const selectEnds = () => sql<{ name: TrailName; hash: string }>`${sql.raw(READ_ENDS)}${lock}`;
  const ends = await runInTransaction(transaction, 'select ends', selectEnds, []);
  const hashes = new Map(ends.map(({ name, hash }) => [name, hash]));
  for (const content of trail.added) {
    const name = trailOf(content);
    const before = hashes.get(name);
    if (before === undefined)
      throw new Error(`the database has no head of the audit trail of ${name}; restore a backup`);
    const salt = makeSalt();
    const hash = linkTo(before, content, commitTo(salt, content));
    const row = { ...content, salt, hash, mac: trail.key === undefined ? null : authenticate(trail.key, hash) };
    await runInTransaction(
      transaction,
      'audit_event',
      () => sql`insert into audit_event (${sql.join(COLUMNS.map((column) => sql.id(column)))})
        values (${sql.join(COLUMNS.map(() => PLACEHOLDER))})`,
      COLUMNS.map((column) => row[column]),
    );
    hashes.set(name, hash);
  }
  // Another process may have deleted more meanwhile.
  for (const [name, { id, hash }] of trail.removed)
    await runInTransaction(
      transaction,
      'remove',
      () => sql`update audit_chain set removed_id = ${PLACEHOLDER}, removed_hash = ${PLACEHOLDER}
        where name = ${PLACEHOLDER} and removed_id < ${PLACEHOLDER}`,
      [id, hash, name, id],
    );
}
