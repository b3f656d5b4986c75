import { sql } from 'kysely';
import type { Author } from '../model/author.ts';
import { type ApiKeyRow, type KeyAccess, type PlatformStore, SCOPES, type Scope } from '../model/platform-store.ts';
import { addAuditEvent } from './audit-events.ts';
import type { InTransaction } from './in-transaction.ts';
import {
  createRunInTransaction,
  PLACEHOLDER,
  type Queries,
  type RunCompiled,
  type RunInTransaction,
} from './tables.ts';

interface AccessRow {
  readonly id: number;
  readonly scope: string;
  readonly owner: number;
  readonly revoked: string | null;
  readonly expires: string | null;
  readonly active: number;
}

const toScopes = (text: string): readonly Scope[] => {
  const words = text.split(' ');
  return SCOPES.filter((scope) => words.includes(scope));
};

const toAccess = (row: AccessRow | undefined): KeyAccess | undefined =>
  row && {
    id: row.id,
    scopes: toScopes(row.scope),
    owner: row.owner,
    isRevoked: row.revoked !== null,
    expiresAt: row.expires,
    ownerIsActive: row.active === 1,
  };

/**
 * Revokes all keys of a user, in the transaction that deactivates the user: activating the user does not restore
 * them.
 */
export async function revokeKeysOf(
  transaction: Queries,
  runInTransaction: RunInTransaction,
  owner: number,
  author: Author,
): Promise<void> {
  const revoked = await transaction
    .updateTable('api_key')
    .set({ revoked_at: author.at })
    .where('owner_id', '=', owner)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();
  for (const { id } of revoked) await addRevokedEvent(transaction, runInTransaction, id, author);
}

const addRevokedEvent = (
  transaction: Queries,
  runInTransaction: RunInTransaction,
  recordId: number,
  author: Author,
): Promise<void> => {
  const changes = { RevokedAt: { from: null, to: author.at } };
  return addAuditEvent(transaction, runInTransaction, author, {
    action: 'revoke',
    resource: 'ApiKey',
    recordId,
    changes,
  });
};

/** The API keys. Only the hash of a key is stored. */
export function createApiKeys(
  db: Queries,
  inTransaction: InTransaction,
  runCompiled: RunCompiled,
): Pick<PlatformStore, 'findKey' | 'findKeyById' | 'addKey' | 'listKeys' | 'revokeKey' | 'touchKey'> {
  const runInTransaction = createRunInTransaction(db);
  // Not a join, as in resource-columns.ts.
  const select = (column: 'hash' | 'id') =>
    sql<AccessRow>`
      select id, scope, owner_id as owner, revoked_at as revoked, expires_at as expires,
        (select is_active from admin_user where admin_user.id = owner_id) as active
      from api_key where ${sql.ref(column)} = ${PLACEHOLDER}`.compile(db);
  const byHash = select('hash');
  const byId = select('id');
  return {
    findKey: async (hash) => toAccess((await runCompiled(byHash, [hash]))[0]),
    findKeyById: async (id) => toAccess((await runCompiled(byId, [id]))[0]),
    addKey: ({ name, scopes, owner, hash, expiresAt }, author) =>
      inTransaction(async (transaction) => {
        const scope = SCOPES.filter((one) => scopes.includes(one)).join(' ');
        const { id } = await transaction
          .insertInto('api_key')
          .values({
            ...{ name, hash, scope, owner_id: owner, created_at: author.at, expires_at: expiresAt ?? null },
            ...{ last_used_at: null, revoked_at: null },
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        const changes = {
          Name: { from: null, to: name },
          Scope: { from: null, to: scope },
          Owner: { from: null, to: owner },
          ...(expiresAt !== undefined && { ExpiresAt: { from: null, to: expiresAt } }),
        };
        await addAuditEvent(transaction, runInTransaction, author, {
          action: 'add',
          resource: 'ApiKey',
          recordId: id,
          changes,
        });
        return id;
      }),
    listKeys: async (): Promise<readonly ApiKeyRow[]> => {
      const rows = await db.selectFrom('api_key').selectAll().orderBy('id').execute();
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        scopes: toScopes(row.scope),
        hasOldOperate: row.old_operate === 1,
        owner: row.owner_id,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
        lastUsedAt: row.last_used_at,
        revokedAt: row.revoked_at,
      }));
    },
    revokeKey: (id: number, author: Author) =>
      inTransaction(async (transaction) => {
        const key = await transaction
          .selectFrom('api_key')
          .select('revoked_at')
          .where('id', '=', id)
          .executeTakeFirst();
        if (key === undefined) return false;
        if (key.revoked_at !== null) return true;
        await transaction.updateTable('api_key').set({ revoked_at: author.at }).where('id', '=', id).execute();
        await addRevokedEvent(transaction, runInTransaction, id, author);
        return true;
      }),
    touchKey: async (id, at) => {
      await db.updateTable('api_key').set({ last_used_at: at }).where('id', '=', id).execute();
    },
  };
}
