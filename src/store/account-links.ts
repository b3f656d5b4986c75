import type { LinkStore, NewLink } from '../platform/model/account-link.ts';
import { type Run, sql } from './sql.ts';

/** The links of the accounts. Only the hash of a token is stored. */
export const createAccountLinks = (run: Run): LinkStore => ({
  addLink: async ({ hash, kind, userId, passwordVersion, expiresAt }) => {
    await run(sql`
      insert into account_link (hash, kind, user_id, password_version, expires_at)
      values (${hash}, ${kind}, ${userId}, ${passwordVersion}, ${expiresAt})`);
  },
  removeLink: async (hash) => void (await run(sql`delete from account_link where hash = ${hash}`)),
  findLink: async (hash, kind, at) => {
    const [link] = await run<Omit<NewLink, 'expiresAt'>>(sql`
      select hash, kind, user_id as "userId", password_version as "passwordVersion" from account_link
      where hash = ${hash} and kind = ${kind} and expires_at > ${at}`);
    return link;
  },
  countLinks: async (userId, kind, at) => {
    const rows = await run(sql`
      select 1 from account_link where user_id = ${userId} and kind = ${kind} and expires_at > ${at}`);
    return rows.length;
  },
  trimLinks: async (at) => void (await run(sql`delete from account_link where expires_at <= ${at}`)),
});
