import { sql } from 'kysely';
import type { Session, SessionLimits, SessionStore } from '../platform/model/session.ts';
import type { InTransaction } from './in-transaction.ts';
import type { Queries } from './tables.ts';

/** The sessions of the portal, as rows: whoever ends one ends it for every replica. */
export function createSessions(db: Queries, inTransaction: InTransaction): SessionStore {
  /** The sessions that go on: by time, and by the activity and password of their user. */
  const current = ({ seen, signedIn }: SessionLimits) =>
    db
      .selectFrom('portal_session')
      .innerJoin('admin_user', 'admin_user.id', 'portal_session.user_id')
      .select([
        'portal_session.id as id',
        'user_id as userId',
        sql<string>`admin_user.user_name`.as('userName'),
        'signed_in_at as signedInAt',
        'seen_at as seenAt',
        'address',
        'browser',
        'code_at as codeAt',
      ])
      .where('seen_at', '>', seen)
      .where('signed_in_at', '>', signedIn)
      .where('admin_user.is_active', '=', 1)
      .whereRef('portal_session.password_version', '=', 'admin_user.password_version');

  return {
    addSession: async ({ hash, userId, passwordVersion, signedInAt, address, browser, codeAt }) => {
      const { id } = await db
        .insertInto('portal_session')
        .values({
          hash,
          user_id: userId,
          password_version: passwordVersion,
          address,
          browser,
          code_at: codeAt,
          signed_in_at: signedInAt,
          seen_at: signedInAt,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    findSession: (hash, limits): Promise<Session | undefined> =>
      current(limits).where('hash', '=', hash).executeTakeFirst(),
    listSessions: (userId, limits) =>
      current(limits).where('user_id', '=', userId).orderBy('portal_session.id', 'desc').execute(),
    touchSession: async (id, at) => {
      await db.updateTable('portal_session').set({ seen_at: at }).where('id', '=', id).execute();
    },
    proveSession: async (id, at) => {
      await db.updateTable('portal_session').set({ code_at: at }).where('id', '=', id).execute();
    },
    endSession: async (userId, id) => {
      const ended = await db
        .deleteFrom('portal_session')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .returning('id')
        .execute();
      return ended.length > 0;
    },
    signOut: (userId) =>
      inTransaction(async (transaction) => {
        // Tokens and links hold the version of the password with which they were made.
        await sql`update admin_user set password_version = password_version + 1 where id = ${userId}`.execute(
          transaction,
        );
        await transaction.deleteFrom('portal_session').where('user_id', '=', userId).execute();
      }),
    revokeToken: async (jti, expiresAt) => {
      const revoked = db.insertInto('revoked_token').values({ jti, expires_at: expiresAt });
      await revoked.onConflict((conflict) => conflict.column('jti').doNothing()).execute();
    },
    trimRevokedTokens: async (at) =>
      void (await db.deleteFrom('revoked_token').where('expires_at', '<=', at).execute()),
    trimSessions: async ({ seen, signedIn }) => {
      await db
        .deleteFrom('portal_session')
        .where((where) => where.or([where('seen_at', '<=', seen), where('signed_in_at', '<=', signedIn)]))
        .execute();
    },
  };
}
