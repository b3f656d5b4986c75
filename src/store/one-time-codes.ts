import type { Note } from '../platform/model/mail.ts';
import type { Author } from '../platform/model/records.ts';
import type { SignInStore } from '../platform/model/sign-in-store.ts';
import { queueNote } from './account-notes.ts';
import { addAuditEvent } from './audit-events.ts';
import type { InTransaction } from './in-transaction.ts';
import type { Queries } from './tables.ts';

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
export function createOneTimeCodes(db: Queries, inTransaction: InTransaction): Codes {
  const audit = (transaction: Queries, action: string, recordId: number, author: Author) =>
    addAuditEvent(transaction, author, { action, resource: 'OneTimeCodes', recordId, changes: {} });

  const queue = async (transaction: Queries, note: Note | undefined, { at }: Author) => {
    if (note !== undefined) await queueNote(transaction, note, at);
  };

  const storeRecoveryCodes = async (transaction: Queries, userId: number, hashes: readonly string[]) => {
    await transaction.deleteFrom('recovery_code').where('user_id', '=', userId).execute();
    const rows = hashes.map((hash, place) => ({ user_id: userId, place, hash }));
    await transaction.insertInto('recovery_code').values(rows).execute();
  };

  return {
    findCodes: async (userId) => {
      const row = await db
        .selectFrom('one_time_code')
        .select(({ selectFrom, fn }) => [
          'secret',
          'confirmed_at',
          selectFrom('recovery_code')
            .where('user_id', '=', userId)
            .select(fn.countAll<number | string>().as('n'))
            .as('left'),
        ])
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row && { secret: row.secret, isConfirmed: row.confirmed_at !== null, recoveryCodes: Number(row.left) };
    },
    startCodes: async (userId, secret) => {
      const started = await db
        .insertInto('one_time_code')
        .values({ user_id: userId, secret, last_step: 0, confirmed_at: null })
        .onConflict((conflict) =>
          conflict
            .column('user_id')
            .doUpdateSet({ secret, last_step: 0 })
            .where('one_time_code.confirmed_at', 'is', null),
        )
        .returning('user_id')
        .execute();
      return started.length > 0;
    },
    confirmCodes: (userId, { secret, hashes }, author, note) =>
      inTransaction(async (transaction) => {
        const confirmed = await transaction
          .updateTable('one_time_code')
          .set({ confirmed_at: author.at })
          .where('user_id', '=', userId)
          .where('secret', '=', secret)
          .where('confirmed_at', 'is', null)
          .returning('user_id')
          .execute();
        if (confirmed.length === 0) return false;
        await storeRecoveryCodes(transaction, userId, hashes);
        await audit(transaction, 'enrol', userId, author);
        await queue(transaction, note, author);
        return true;
      }),
    replaceRecoveryCodes: (userId, hashes, author) =>
      inTransaction(async (transaction) => {
        // The update locks the row: a removal at the same time waits, or wins.
        const kept = await transaction
          .updateTable('one_time_code')
          .set({ user_id: userId })
          .where('user_id', '=', userId)
          .where('confirmed_at', 'is not', null)
          .returning('user_id')
          .execute();
        if (kept.length === 0) return false;
        await storeRecoveryCodes(transaction, userId, hashes);
        await audit(transaction, 'renew', userId, author);
        return true;
      }),
    removeCodes: (userId, author, note) =>
      inTransaction(async (transaction) => {
        const removed = await transaction
          .deleteFrom('one_time_code')
          .where('user_id', '=', userId)
          .returning('user_id')
          .execute();
        if (removed.length === 0) return false;
        await transaction.deleteFrom('recovery_code').where('user_id', '=', userId).execute();
        await audit(transaction, 'remove', userId, author);
        await queue(transaction, note, author);
        return true;
      }),
    resealCodes: async (reseal) => {
      for (const { user_id, secret } of await db.selectFrom('one_time_code').select(['user_id', 'secret']).execute()) {
        const fresh = reseal(secret);
        const change = db.updateTable('one_time_code').where('user_id', '=', user_id).where('secret', '=', secret);
        if (fresh !== undefined) await change.set({ secret: fresh }).execute();
      }
    },
    takeStep: async (userId, step) => {
      const taken = await db
        .updateTable('one_time_code')
        .set({ last_step: step })
        .where('user_id', '=', userId)
        .where('last_step', '<', step)
        .returning('user_id')
        .execute();
      return taken.length > 0;
    },
    findRecoveryCode: async (userId, place) => {
      const row = await db
        .selectFrom('recovery_code')
        .select('hash')
        .where('user_id', '=', userId)
        .where('place', '=', place)
        .executeTakeFirst();
      return row?.hash;
    },
    takeRecoveryCode: async (userId, place) => {
      const taken = await db
        .deleteFrom('recovery_code')
        .where('user_id', '=', userId)
        .where('place', '=', place)
        .returning('place')
        .execute();
      return taken.length > 0;
    },
  };
}
