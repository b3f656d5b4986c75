import { type RawBuilder, sql } from 'kysely';
import type { LinkKind } from '../platform/model/account-link.ts';
import type { AccountStore, PasswordChange } from '../platform/model/account-store.ts';
import type { PlatformStore, UserAccess } from '../platform/model/platform-store.ts';
import { PASSWORD_MASK } from '../platform/model/resource.ts';
import { queueNote } from './account-notes.ts';
import { addAuditEvent } from './audit-events.ts';
import type { InTransaction } from './in-transaction.ts';
import { PLACEHOLDER, type Queries, type RunCompiled } from './tables.ts';

interface Row {
  readonly id: number;
  readonly hash: string;
  readonly version: number;
  readonly active: number;
}

/** Admin users for credentials. As records they are a resource like the others. */
export function createAdminUsers(
  db: Queries,
  runCompiled: RunCompiled,
): Pick<PlatformStore, 'findUser' | 'findTokenUser'> {
  const selectWhere = (condition: RawBuilder<unknown>) =>
    sql<Row>`
      select id, password_hash as hash, password_version as version, is_active as active
      from admin_user where ${condition}`.compile(db);
  const select = (column: 'id' | 'user_name_key') => selectWhere(sql`${sql.ref(column)} = ${PLACEHOLDER}`);
  const byId = select('id');
  const byName = select('user_name_key');
  const ofToken = selectWhere(
    sql`id = ${PLACEHOLDER} and not exists (select 1 from revoked_token where jti = ${PLACEHOLDER})`,
  );
  const toAccess = (row: Row | undefined): UserAccess | undefined =>
    row && { id: row.id, passwordHash: row.hash, passwordVersion: row.version, isActive: row.active === 1 };
  return {
    findUser: async (by): Promise<UserAccess | undefined> => {
      const [row] = 'id' in by ? await runCompiled(byId, [by.id]) : await runCompiled(byName, [by.userNameKey]);
      return toAccess(row);
    },
    findTokenUser: async (userId, tokenId) => toAccess((await runCompiled(ofToken, [userId, tokenId]))[0]),
  };
}

/** Ends the links of a user, of one kind or all. */
export async function endLinks(transaction: Queries, userId: number, kind?: LinkKind): Promise<void> {
  const links = transaction.deleteFrom('account_link').where('user_id', '=', userId);
  await (kind === undefined ? links : links.where('kind', '=', kind)).execute();
}

/** Takes an invitation back: its links, and the mail that waits to bring one. */
export async function endInvitation(transaction: Queries, userId: number): Promise<void> {
  await endLinks(transaction, userId, 'activation');
  await transaction.deleteFrom('mail').where('user_id', '=', userId).where('kind', '=', 'activation').execute();
}

/** Stores the hash; false if the user is not as stated. */
async function setPassword(
  transaction: Queries,
  { userId, passwordVersion, passwordHash, activates = false, author }: PasswordChange,
): Promise<boolean> {
  const { rows } = await sql`
    update admin_user set password_hash = ${passwordHash}, password_version = password_version + 1, is_active = 1,
      update_by = ${author.statedBy}, update_date = ${author.at}, update_ip = ${author.ip}
    where id = ${userId} and password_version = ${passwordVersion} and is_active = ${activates ? 0 : 1}
    returning id`.execute(transaction);
  return rows.length > 0;
}

/** Changes of passwords outside the records. */
export function createPasswordChanges(
  db: Queries,
  inTransaction: InTransaction,
): Pick<AccountStore, 'changePassword' | 'findUserByEmail'> {
  return {
    findUserByEmail: async (emailKey) => {
      const { rows } = await sql<{ id: number; active: number }>`
        select id, is_active as active from admin_user where email_id_key = ${emailKey}`.execute(db);
      const [row] = rows;
      return row && { id: row.id, isActive: row.active === 1 };
    },
    changePassword: (change) =>
      inTransaction(async (transaction) => {
        const { userId, activates, author, mail } = change;
        // Of two requests with the same link, one waits here for the other, and then finds another version.
        if (!(await setPassword(transaction, change))) return false;
        await endLinks(transaction, userId);
        if (activates) await endInvitation(transaction, userId);
        addAuditEvent(transaction, author, {
          action: 'update',
          resource: 'AdminUser',
          recordId: userId,
          changes: {
            Password: { from: PASSWORD_MASK, to: PASSWORD_MASK },
            ...(activates && { IsActive: { from: false, to: true } }),
          },
        });
        if (mail !== undefined) await queueNote(transaction, mail, author.at);
        return true;
      }),
  };
}
