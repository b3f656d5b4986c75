import type { Note } from '../platform/model/mail.ts';
import type { Author } from '../platform/model/records.ts';
import type { SignInStore } from '../platform/model/sign-in-store.ts';
import { queueNote } from './account-notes.ts';
import { addAuditEvent } from './audit-events.ts';
import type { InTransaction } from './in-transaction.ts';
import { type Run, rowsSql, sql } from './sql.ts';

type Codes = Pick<
  SignInStore,
  | 'findCodes'
  | 'startCodes'
  | 'confirmCodes'
  | 'replaceRecoveryCodes'
  | 'removeCodes'
  | 'resealCodes'
  | 'takeStep'
  | 'findRecoveryCode'
  | 'takeRecoveryCode'
>;

/** The one-time codes of users. Secrets arrive sealed, recovery codes as hashes. */
export function createOneTimeCodes(run: Run, inTransaction: InTransaction): Codes {
  const audit = (transaction: Run, action: string, recordId: number, author: Author) =>
    addAuditEvent(transaction, author, { action, resource: 'OneTimeCodes', recordId, changes: {} });

  const queue = async (transaction: Run, note: Note | undefined, { at }: Author) => {
    if (note !== undefined) await queueNote(transaction, note, at);
  };

  const storeRecoveryCodes = async (transaction: Run, userId: number, hashes: readonly string[]) => {
    await transaction(sql`delete from recovery_code where user_id = ${userId}`);
    const rows = hashes.map((hash, place) => [userId, place, hash]);
    await transaction(sql`insert into recovery_code (user_id, place, hash) values ${rowsSql(rows)}`);
  };

  return {
    findCodes: async (userId) => {
      const [row] = await run<{ secret: string; confirmed_at: string | null; left: number | string }>(sql`
        select secret, confirmed_at, (select count(*) from recovery_code where user_id = ${userId}) as "left"
        from one_time_code where user_id = ${userId}`);
      return row && { secret: row.secret, isConfirmed: row.confirmed_at !== null, recoveryCodes: Number(row.left) };
    },
    startCodes: async (userId, secret) => {
      const started = await run(sql`
        insert into one_time_code (user_id, secret, last_step, confirmed_at) values (${userId}, ${secret}, 0, null)
        on conflict (user_id) do update set secret = ${secret}, last_step = 0 where one_time_code.confirmed_at is null
        returning user_id`);
      return started.length > 0;
    },
    confirmCodes: (userId, { secret, hashes }, author, note) =>
      inTransaction(async (transaction) => {
        const confirmed = await transaction(sql`
          update one_time_code set confirmed_at = ${author.at}
          where user_id = ${userId} and secret = ${secret} and confirmed_at is null returning user_id`);
        if (confirmed.length === 0) return false;
        await storeRecoveryCodes(transaction, userId, hashes);
        await audit(transaction, 'enrol', userId, author);
        await queue(transaction, note, author);
        return true;
      }),
    replaceRecoveryCodes: (userId, hashes, author) =>
      inTransaction(async (transaction) => {
        // The update locks the row: a removal at the same time waits, or wins.
        const kept = await transaction(sql`
          update one_time_code set user_id = ${userId} where user_id = ${userId} and confirmed_at is not null
          returning user_id`);
        if (kept.length === 0) return false;
        await storeRecoveryCodes(transaction, userId, hashes);
        await audit(transaction, 'renew', userId, author);
        return true;
      }),
    removeCodes: (userId, author, note) =>
      inTransaction(async (transaction) => {
        const removed = await transaction(sql`delete from one_time_code where user_id = ${userId} returning user_id`);
        if (removed.length === 0) return false;
        await transaction(sql`delete from recovery_code where user_id = ${userId}`);
        await audit(transaction, 'remove', userId, author);
        await queue(transaction, note, author);
        return true;
      }),
    resealCodes: async (reseal) => {
      const codes = await run<{ user_id: number; secret: string }>(sql`select user_id, secret from one_time_code`);
      for (const { user_id, secret } of codes) {
        const fresh = reseal(secret);
        if (fresh !== undefined)
          await run(sql`update one_time_code set secret = ${fresh} where user_id = ${user_id} and secret = ${secret}`);
      }
    },
    takeStep: async (userId, step) => {
      const taken = await run(sql`
        update one_time_code set last_step = ${step} where user_id = ${userId} and last_step < ${step} returning user_id`);
      return taken.length > 0;
    },
    findRecoveryCode: async (userId, place) => {
      const [row] = await run<{ hash: string }>(sql`
        select hash from recovery_code where user_id = ${userId} and place = ${place}`);
      return row?.hash;
    },
    takeRecoveryCode: async (userId, place) => {
      const taken = await run(sql`
        delete from recovery_code where user_id = ${userId} and place = ${place} returning place`);
      return taken.length > 0;
    },
  };
}
