import type { LinkKind } from '../platform/model/account-link.ts';
import type { AccountStore, PasswordChange, PlatformStore, UserAccess } from '../platform/model/platform-store.ts';
import { PASSWORD_MASK } from '../platform/model/resource.ts';
import { queueNote } from './account-notes.ts';
import { addAuditEvent } from './audit-events.ts';
import type { InTransaction } from './in-transaction.ts';
import { PLACEHOLDER, type ReadPrepared, type Run, type Sql, sql } from './sql.ts';

type Row = Omit<UserAccess, 'isActive'> & { readonly active: number };

/** Admin users for credentials. As records they are a resource like the others. */
export function createAdminUsers(read: ReadPrepared): Pick<PlatformStore, 'findUser' | 'findTokenUser'> {
  const selectWhere = (condition: Sql) => sql`
    select id, password_hash as "passwordHash", password_version as "passwordVersion", is_active as active
    from admin_user where ${condition}`;
  const byId = selectWhere(sql`id = ${PLACEHOLDER}`);
  const byName = selectWhere(sql`user_name_key = ${PLACEHOLDER}`);
  const byEmail = selectWhere(sql`email_id_key = ${PLACEHOLDER}`);
  const ofToken = selectWhere(
    sql`id = ${PLACEHOLDER} and not exists (select 1 from revoked_token where jti = ${PLACEHOLDER})`,
  );
  const toAccess = (row: Row | undefined): UserAccess | undefined =>
    row && {
      ...{ id: row.id, passwordHash: row.passwordHash, passwordVersion: row.passwordVersion },
      isActive: row.active === 1,
    };
  return {
    findUser: async (by) => {
      if ('id' in by) return toAccess((await read<Row>(byId, [by.id]))[0]);
      const [statement, key] = 'userNameKey' in by ? [byName, by.userNameKey] : [byEmail, by.emailKey];
      return toAccess((await read<Row>(statement, [key]))[0]);
    },
    findTokenUser: async (userId, tokenId) => toAccess((await read<Row>(ofToken, [userId, tokenId]))[0]),
  };
}

/** Ends the links of a user, of one kind or all. */
export async function endLinks(transaction: Run, userId: number, kind?: LinkKind): Promise<void> {
  const ofKind = kind === undefined ? sql`` : sql` and kind = ${kind}`;
  await transaction(sql`delete from account_link where user_id = ${userId}${ofKind}`);
}

/** Takes an invitation back: its links, and the mail that waits to bring one. */
export async function endInvitation(transaction: Run, userId: number): Promise<void> {
  await endLinks(transaction, userId, 'activation');
  await transaction(sql`delete from mail where user_id = ${userId} and kind = 'activation'`);
}

/** Stores the hash; false if the user is not as stated. */
async function setPassword(
  transaction: Run,
  { userId, passwordVersion, passwordHash, activates = false, author }: PasswordChange,
): Promise<boolean> {
  const rows = await transaction(sql`
    update admin_user set password_hash = ${passwordHash}, password_version = password_version + 1, is_active = 1,
      update_by = ${author.statedBy}, update_date = ${author.at}, update_ip = ${author.ip}
    where id = ${userId} and password_version = ${passwordVersion} and is_active = ${activates ? 0 : 1}
    returning id`);
  return rows.length > 0;
}

/** Changes of passwords outside the records. */
export function createPasswordChanges(inTransaction: InTransaction): Pick<AccountStore, 'changePassword'> {
  return {
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
