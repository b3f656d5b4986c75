import { createHmac, hash as hashOnce, randomBytes } from 'node:crypto';
import { deriveKey } from '../lib/derive-key.ts';
import type { TrailName } from '../platform/model/audit-trail.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { READ_ENDS } from './lend-sqlite.ts';
import { type Cell, insertSql, type Run, rawSql, sql } from './sql.ts';

/** An audit event as a row. */
export interface AuditRow {
  readonly id: number;
  readonly at: string;
  readonly action: string;
  readonly resource: string;
  readonly record_id: number;
  readonly stated_by: number | null;
  readonly owner_id: number | null;
  readonly credential: string;
  readonly ip: string | null;
  readonly changes: string;
  readonly request_id: string | null;
  readonly is_security: number;
  /** Of the digest of address and changes; null once they were erased, and in rows from before the chain. */
  readonly salt: string | null;
  readonly hash: string | null;
  readonly mac: string | null;
  /** The digest of what was erased. */
  readonly erased: string | null;
}

/** What an audit event says, without what chains it. */
export type AuditContent = Omit<AuditRow, 'id' | 'salt' | 'hash' | 'mac' | 'erased'>;

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
const trailOf = ({ is_security }: Pick<AuditContent, 'is_security'>): TrailName =>
  is_security === 1 ? 'security' : 'changes';

/** What a transaction adds to the trail, and takes from its beginning. */
interface Trail {
  readonly kind: DatabaseConnection['kind'];
  readonly key: Buffer | undefined;
  readonly added: AuditContent[];
  readonly removed: Map<TrailName, Pick<AuditRow, 'id' | 'hash'>>;
}

const trails = new WeakMap<Run, Trail>();

const trailIn = (transaction: Run): Trail => {
  const trail = trails.get(transaction);
  if (trail === undefined) throw new Error('the audit trail is written outside of its transaction');
  return trail;
};

/** Lets the transaction write to the trail. */
export function beginTrail(transaction: Run, kind: DatabaseConnection['kind'], key: Buffer | undefined): void {
  if (!trails.has(transaction)) trails.set(transaction, { kind, key, added: [], removed: new Map() });
}

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
export function appendToTrail(transaction: Run, content: AuditContent): void {
  trailIn(transaction).added.push(content);
}

/** Remembers the last row that was deleted from the beginning of a chain: the first one that is left follows it. */
export function forgetUntil(transaction: Run, name: TrailName, row: Pick<AuditRow, 'id' | 'hash'>): void {
  if (row.hash !== null) trailIn(transaction).removed.set(name, row);
}

/**
 * Writes what a transaction adds to the trail, and takes from its beginning. A trigger notes where the chain ends then. Right before
 * the commit, as PostgreSQL lets others that write to the trail wait from here on.
 */
export async function saveTrail(transaction: Run): Promise<void> {
  const trail = trails.get(transaction);
  if (trail === undefined || (trail.added.length === 0 && trail.removed.size === 0)) return;
  const lock = trail.kind === 'postgres' ? sql` for update` : sql``;
  const ends = await transaction<{ name: TrailName; hash: string }>(sql`${rawSql(READ_ENDS)}${lock}`);
  const hashes = new Map(ends.map(({ name, hash }) => [name, hash]));
  for (const content of trail.added) {
    const name = trailOf(content);
    const before = hashes.get(name);
    if (before === undefined)
      throw new Error(`the database has no head of the audit trail of ${name}; restore a backup`);
    const salt = makeSalt();
    const hash = linkTo(before, content, commitTo(salt, content));
    const mac = trail.key === undefined ? null : authenticate(trail.key, hash);
    await transaction(insertSql('audit_event', { ...content, salt, hash, mac }));
    hashes.set(name, hash);
  }
  // Another process may have deleted more meanwhile.
  for (const [name, { id, hash }] of trail.removed)
    await transaction(sql`
      update audit_chain set removed_id = ${id}, removed_hash = ${hash} where name = ${name} and removed_id < ${id}`);
}
