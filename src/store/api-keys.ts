import {
  type ApiKeyRow,
  type KeyAccess,
  type NewApiKey,
  type PlatformStore,
  SCOPES,
  type Scope,
} from '../platform/model/platform-store.ts';
import type { Author } from '../platform/model/records.ts';
import { MAX_INTEGER } from '../platform/model/resource.ts';
import { addAuditEvent } from './audit-events.ts';
import type { DatabaseConnection } from './database-connection.ts';
import type { InTransaction } from './in-transaction.ts';
import { insertId, nameSql, PLACEHOLDER, type ReadPrepared, type Run, rawSql, sql } from './sql.ts';

/** A key as the database has it, with its scopes in their order, separated by blanks. */
type Row = Omit<ApiKeyRow, 'scopes' | 'hasOldOperate' | 'allowedIps'> & {
  readonly scope: string;
  readonly oldOperate: number;
  readonly ips: string | null;
};

const COLUMNS =
  rawSql(`id, name, scope, old_operate as "oldOperate", owner_id as owner, hint, created_at as "createdAt",
  expires_at as "expiresAt", last_used_at as "lastUsedAt", last_used_ip as "lastUsedIp", revoked_at as "revokedAt",
  revoked_by as "revokedBy", replaced_by as "replacedBy", allowed_ips as ips`);

interface AccessRow extends Pick<Row, 'id' | 'scope' | 'owner' | 'expiresAt' | 'revokedAt' | 'replacedBy' | 'ips'> {
  readonly active: number;
}

/** A key to add; `oldOperate` is 1 if it has the scope `operate` from before scopes. */
type KeyToAdd = NewApiKey & { readonly oldOperate: number };

const toScopes = (text: string): readonly Scope[] => {
  const words = text.split(' ');
  return SCOPES.filter((scope) => words.includes(scope));
};

const toAddresses = (text: string | null): readonly string[] => text?.split(' ') ?? [];
const fromAddresses = (ips: readonly string[] = []): string | null => (ips.length === 0 ? null : ips.join(' '));

const toAccess = (row: AccessRow | undefined): KeyAccess | undefined =>
  row && {
    ...{ id: row.id, scopes: toScopes(row.scope), owner: row.owner, expiresAt: row.expiresAt },
    isRevoked: row.revokedAt !== null,
    isReplaced: row.replacedBy !== null,
    ownerIsActive: row.active === 1,
    allowedIps: toAddresses(row.ips),
  };

/**
 * Revokes all keys of a user, in the transaction that deactivates the user: activating the user does not restore
 * them.
 */
export async function revokeKeysOf(transaction: Run, owner: number, author: Author): Promise<void> {
  const revoked = await transaction<{ id: number }>(sql`
    update api_key set revoked_at = ${author.at}, revoked_by = ${author.owner}
    where owner_id = ${owner} and revoked_at is null returning id`);
  for (const { id } of revoked) addRevokedEvent(transaction, id, author);
}

const addRevokedEvent = (transaction: Run, recordId: number, author: Author): void => {
  const changes = { RevokedAt: { from: null, to: author.at } };
  addAuditEvent(transaction, author, { action: 'revoke', resource: 'ApiKey', recordId, changes });
};

/**
 * Is the user active, and stays so until the transaction ends? A deactivation at the same time waits, and then revokes the key
 * too; or it comes first.
 */
async function staysActive(transaction: Run, kind: DatabaseConnection['kind'], owner: number): Promise<boolean> {
  // SQLite has one writer at a time anyway.
  const lock = kind === 'postgres' ? sql` for share` : sql``;
  const rows = await transaction(sql`select 1 from admin_user where id = ${owner} and is_active = 1${lock}`);
  return rows.length > 0;
}

async function insertKey(
  transaction: Run,
  { name, scopes, owner, hash, hint, expiresAt, allowedIps, oldOperate }: KeyToAdd,
  author: Author,
): Promise<number> {
  const scope = SCOPES.filter((one) => scopes.includes(one)).join(' ');
  const about = { name, hash, scope, owner_id: owner, old_operate: oldOperate, hint: hint ?? null };
  const times = { created_at: author.at, expires_at: expiresAt ?? null };
  const ips = fromAddresses(allowedIps);
  const id = await insertId(transaction, 'api_key', { ...about, ...times, allowed_ips: ips });
  const changes = {
    Name: { from: null, to: name },
    Scope: { from: null, to: scope },
    Owner: { from: null, to: owner },
    ...(expiresAt !== undefined && { ExpiresAt: { from: null, to: expiresAt } }),
    ...(ips !== null && { AllowedIPs: { from: null, to: ips } }),
  };
  addAuditEvent(transaction, author, {
    action: 'add',
    resource: 'ApiKey',
    recordId: id,
    changes,
  });
  return id;
}

/** The API keys. Only the hash and the first characters of a key are stored. */
export function createApiKeys(
  run: Run,
  kind: DatabaseConnection['kind'],
  inTransaction: InTransaction,
  read: ReadPrepared,
): Pick<PlatformStore, 'findKey' | 'addKey' | 'listKeys' | 'rotateKey' | 'revokeKey' | 'restrictKey' | 'touchKey'> {
  // Not a join, as in resource-columns.ts.
  const select = (column: 'hash' | 'id') => sql`
      select id, scope, owner_id as owner, revoked_at as "revokedAt", expires_at as "expiresAt", replaced_by as "replacedBy",
        allowed_ips as ips,
        (select is_active from admin_user where admin_user.id = owner_id) as active
      from api_key where ${nameSql(column)} = ${PLACEHOLDER}`;
  const byHash = select('hash');
  const byId = select('id');
  return {
    findKey: async (by) => {
      const rows = 'hash' in by ? read<AccessRow>(byHash, [by.hash]) : read<AccessRow>(byId, [by.id]);
      return toAccess((await rows)[0]);
    },
    addKey: (key, author) =>
      inTransaction(async (transaction) =>
        (await staysActive(transaction, kind, key.owner))
          ? insertKey(transaction, { ...key, oldOperate: 0 }, author)
          : undefined,
      ),
    rotateKey: ({ id, hash, hint, expiresAt, oldExpiresAt }, author) =>
      inTransaction(async (transaction) => {
        const [before] = await transaction<Row>(sql`select ${COLUMNS} from api_key where id = ${id}`);
        if (before === undefined || !(await staysActive(transaction, kind, before.owner))) return undefined;
        const [old] = await transaction<Row>(sql`
          update api_key set expires_at = ${oldExpiresAt}
          where id = ${id} and revoked_at is null and replaced_by is null
            and (expires_at is null or expires_at > ${author.at})
          returning ${COLUMNS}`);
        if (old === undefined) return undefined;
        const { name, owner, oldOperate, scope, ips } = old;
        const same = { name, owner, oldOperate, scopes: toScopes(scope), allowedIps: toAddresses(ips) };
        const fresh = { ...same, hash, hint, expiresAt: expiresAt ?? undefined };
        const replacedBy = await insertKey(transaction, fresh, author);
        await transaction(sql`update api_key set replaced_by = ${replacedBy} where id = ${id}`);
        addAuditEvent(transaction, author, {
          action: 'rotate',
          resource: 'ApiKey',
          recordId: id,
          changes: {
            ReplacedBy: { from: null, to: replacedBy },
            ExpiresAt: { from: before.expiresAt, to: oldExpiresAt },
          },
        });
        return replacedBy;
      }),
    listKeys: async (after = 0, limit = MAX_INTEGER): Promise<readonly ApiKeyRow[]> => {
      const rows = await run<Row>(sql`select ${COLUMNS} from api_key where id > ${after} order by id limit ${limit}`);
      return rows.map(({ scope, oldOperate, ips, ...row }) => ({
        ...row,
        scopes: toScopes(scope),
        allowedIps: toAddresses(ips),
        hasOldOperate: oldOperate === 1,
      }));
    },
    revokeKey: (id: number, author: Author) =>
      inTransaction(async (transaction) => {
        const revoked = await transaction(sql`
          update api_key set revoked_at = ${author.at}, revoked_by = ${author.owner}
          where id = ${id} and revoked_at is null returning id`);
        if (revoked.length > 0) addRevokedEvent(transaction, id, author);
        return (await transaction(sql`select id from api_key where id = ${id}`)).length > 0;
      }),
    restrictKey: (id, allowedIps, author) =>
      inTransaction(async (transaction) => {
        const [key] = await transaction<Row>(sql`select ${COLUMNS} from api_key where id = ${id}`);
        if (key === undefined) return false;
        const to = fromAddresses(allowedIps);
        if (to === key.ips) return true;
        await transaction(sql`update api_key set allowed_ips = ${to} where id = ${id}`);
        const changes = { AllowedIPs: { from: key.ips, to } };
        addAuditEvent(transaction, author, { action: 'update', resource: 'ApiKey', recordId: id, changes });
        return true;
      }),
    touchKey: async (id, at, ip) => {
      await run(sql`update api_key set last_used_at = ${at}, last_used_ip = ${ip} where id = ${id}`);
    },
  };
}
