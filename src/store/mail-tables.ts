import type { LinkStore, NewLink } from '../platform/model/account-link.ts';
import type { AccountChange, MailKind, MailStore, NewMail, Recipient, WaitingMail } from '../platform/model/mail.ts';
import type { DatabaseConnection } from './database-connection.ts';
import type { PlainSql } from './run-sql.ts';
import { insertSql, type Run, rawSql, type Sql, sql } from './sql.ts';

interface MailRow {
  readonly id: number;
  readonly attempts: number;
  readonly kind: MailKind;
  readonly user_id: number | null;
  readonly address: string | null;
  readonly created_at: string;
  readonly change: string | null;
}

function toMail({ kind, user_id, address, change }: MailRow): NewMail {
  if (kind === 'reset') return { kind, address: address ?? '' };
  const userId = user_id ?? 0;
  if (kind === 'activation') return { kind, userId };
  return {
    kind,
    userId,
    ...(address !== null && { to: address }),
    ...(change !== null && { change: JSON.parse(change) as AccountChange }),
  };
}

/** Where a mail goes, if that is settled: the key of an address that somebody typed, or the address of a note. */
function addressOf(mail: NewMail): string | null {
  if (mail.kind === 'reset') return mail.address;
  return mail.kind === 'activation' ? null : (mail.to ?? null);
}

const toWaiting = (row: MailRow): WaitingMail => ({
  ...toMail(row),
  id: row.id,
  createdAt: row.created_at,
  attempts: row.attempts,
});

/** The columns of a mail that is queued at `at` (ISO 8601). */
export const toMailRow = (mail: NewMail, at: string) => ({
  kind: mail.kind,
  user_id: mail.kind === 'reset' ? null : mail.userId,
  address: addressOf(mail),
  created_at: at,
  due_at: at,
  change: 'change' in mail && mail.change !== undefined ? JSON.stringify(mail.change) : null,
});

/** The mails that wait, which the replicas of subnetd share. */
export function createMailTables({ run, inTransaction }: PlainSql, kind: DatabaseConnection['kind']): MailStore {
  // Replicas take different mails without waiting for each other. SQLite has one writer at a time anyway.
  const skip = rawSql(kind === 'postgres' ? 'for update skip locked' : '');
  /** A moment after `at` as text: on PostgreSQL by the server's clock, which all replicas share. */
  const after = (at: string, ms: number): Sql =>
    kind === 'postgres'
      ? sql`to_char((clock_timestamp() + ${ms}::int * interval '1 millisecond') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
      : sql`${new Date(Date.parse(at) + ms).toISOString()}`;
  const due = (at: string): Sql => sql`due_at <= ${at} and (claimed_until is null or claimed_until <= ${after(at, 0)})`;
  return {
    ...createAccountLinks(run),
    addMail: (mail, at, most) =>
      inTransaction(async (transaction) => {
        const [row] = await transaction<{ waiting: number | string }>(sql`select count(*) as waiting from mail`);
        if (Number(row?.waiting) >= most) return false;
        await transaction(insertSql('mail', toMailRow(mail, at)));
        return true;
      }),
    claimMail: async (at, forMs, claim) => {
      // Nearly always nothing is due, and an update would lock the database to find that out.
      if ((await run(sql`select 1 from mail where ${due(at)} limit 1`)).length === 0) return undefined;
      const [row] = await run<MailRow>(sql`
        update mail set claim = ${claim}, claimed_until = ${after(at, forMs)}, attempts = attempts + 1
        where id = (select id from mail where ${due(at)} order by due_at, id limit 1 ${skip})
        returning id, kind, user_id, address, created_at, attempts, change`);
      return row && toWaiting(row);
    },
    renewClaim: async (at, forMs, claim) => {
      const held = await run(sql`
        update mail set claimed_until = ${after(at, forMs)} where claim = ${claim} returning id`);
      return held.length > 0;
    },
    postponeMail: async (claim, dueAt) =>
      void (await run(sql`
        update mail set due_at = ${dueAt}, claim = null, claimed_until = null where claim = ${claim}`)),
    removeMail: async (claim) => void (await run(sql`delete from mail where claim = ${claim}`)),
    findRecipient: async (by) => {
      const isUser = 'address' in by ? sql`email_id_key = ${by.address}` : sql`id = ${by.userId}`;
      const [row] = await run<Omit<Recipient, 'isActive'> & { readonly active: number }>(sql`
        select id as "userId", first_name as "firstName", user_name as "userName", email_id as "emailId",
          is_active as active, password_version as "passwordVersion"
        from admin_user where ${isUser}`);
      if (row === undefined) return undefined;
      const { active, ...recipient } = row;
      return { ...recipient, isActive: active === 1 };
    },
  };
}

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
