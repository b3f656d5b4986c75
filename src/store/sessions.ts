import type { Session, SessionLimits, SessionStore } from '../platform/model/session.ts';
import type { InTransaction } from './in-transaction.ts';
import { insertId, insertSql, type Run, type Sql, sql } from './sql.ts';

/** The sessions of the portal, as rows: whoever ends one ends it for every replica. */
export function createSessions(run: Run, inTransaction: InTransaction): SessionStore {
  /** The sessions that go on: by time, and by the activity and password of their user. */
  const current = ({ seen, signedIn }: SessionLimits, which: Sql) =>
    run<Session>(sql`
      select portal_session.id as id, user_id as "userId", admin_user.user_name as "userName", signed_in_at as "signedInAt",
        seen_at as "seenAt", address, browser, code_at as "codeAt"
      from portal_session inner join admin_user on admin_user.id = portal_session.user_id
      where seen_at > ${seen} and signed_in_at > ${signedIn} and admin_user.is_active = 1
        and portal_session.password_version = admin_user.password_version and ${which}
      order by portal_session.id desc`);

  return {
    addSession: async ({ hash, userId, passwordVersion, signedInAt, address, browser, codeAt }) => {
      const cells = { hash, user_id: userId, password_version: passwordVersion, address, browser, code_at: codeAt };
      const times = { signed_in_at: signedInAt, seen_at: signedInAt };
      return insertId(run, 'portal_session', { ...cells, ...times });
    },
    findSession: async (hash, limits) => (await current(limits, sql`hash = ${hash}`))[0],
    listSessions: (userId, limits) => current(limits, sql`user_id = ${userId}`),
    touchSession: async (id, at) => void (await run(sql`update portal_session set seen_at = ${at} where id = ${id}`)),
    proveSession: async (id, at) => void (await run(sql`update portal_session set code_at = ${at} where id = ${id}`)),
    endSession: async (userId, id) => {
      const ended = await run(sql`delete from portal_session where user_id = ${userId} and id = ${id} returning id`);
      return ended.length > 0;
    },
    signOut: (userId) =>
      inTransaction(async (transaction) => {
        // Tokens and links hold the version of the password with which they were made.
        await transaction(sql`update admin_user set password_version = password_version + 1 where id = ${userId}`);
        await transaction(sql`delete from portal_session where user_id = ${userId}`);
      }),
    revokeToken: async (jti, expiresAt) => {
      await run(insertSql('revoked_token', { jti, expires_at: expiresAt }, 'on conflict (jti) do nothing'));
    },
    trimRevokedTokens: async (at) => void (await run(sql`delete from revoked_token where expires_at <= ${at}`)),
    trimSessions: async ({ seen, signedIn }) =>
      void (await run(sql`delete from portal_session where seen_at <= ${seen} or signed_in_at <= ${signedIn}`)),
  };
}
