import { sql } from 'kysely';
import type { SignInFailures, SignInStore } from '../platform/model/sign-in-store.ts';
import type { InTransaction } from './in-transaction.ts';
import type { Queries } from './tables.ts';

/** How many addresses are stored for a user; the newest stay. */
const MOST = 20;

/** The addresses from which users have signed in. */
export const createSignInAddresses = (
  db: Queries,
  inTransaction: InTransaction,
): Pick<SignInStore, 'findSignIn' | 'keepSignIn'> => ({
  findSignIn: async (userId, address) => {
    const row = await db
      .selectFrom('sign_in_address')
      .select('at')
      .where('user_id', '=', userId)
      .where('address', '=', address)
      .executeTakeFirst();
    return row?.at;
  },
  keepSignIn: (userId, address, at) =>
    inTransaction(async (transaction) => {
      await transaction
        .insertInto('sign_in_address')
        .values({ user_id: userId, address, at })
        .onConflict((conflict) => conflict.columns(['user_id', 'address']).doUpdateSet({ at }))
        .execute();
      const newest = transaction
        .selectFrom('sign_in_address')
        .select('address')
        .where('user_id', '=', userId)
        .orderBy('at', 'desc')
        .orderBy('address')
        .limit(MOST);
      await transaction
        .deleteFrom('sign_in_address')
        .where('user_id', '=', userId)
        .where('address', 'not in', newest)
        .execute();
    }),
});

/** How many rows are deleted at once, so that nobody waits long. */
const SLICE = 1_000;

const deleteEmpty = (transaction: Queries, name: string) =>
  transaction.deleteFrom('sign_in_failure').where('name', '=', name).where('failures', '<=', 0).execute();

/** Failed sign-ins, by user name and address. The name arrives as a digest, as people type passwords there. */
export const createSignInFailures = (
  inTransaction: InTransaction,
): Pick<SignInStore, 'countAttempt' | 'takeBackAttempt' | 'clearFailures' | 'trimFailures'> => ({
  countAttempt: ({ name, addresses, at, since }, mayTry) =>
    inTransaction(async (transaction) => {
      const before: (SignInFailures | undefined)[] = [];
      for (const address of addresses) {
        // Locks the row until the end, also one that was not there.
        const { failures, last_at } = await transaction
          .insertInto('sign_in_failure')
          .values({ name, address, failures: 0, last_at: at })
          .onConflict((conflict) => conflict.columns(['name', 'address']).doUpdateSet({ name }))
          .returning(['failures', 'last_at'])
          .executeTakeFirstOrThrow();
        before.push(failures === 0 ? undefined : { failures, lastAt: last_at });
      }
      const failures = sql<number>`case when last_at < ${since} then 1 else failures + 1 end`;
      if (mayTry(before))
        await transaction
          .updateTable('sign_in_failure')
          .set({ failures, last_at: at })
          .where('name', '=', name)
          .where('address', 'in', addresses)
          .execute();
      else await deleteEmpty(transaction, name);
      return before;
    }),
  takeBackAttempt: ({ name, addresses, at }, before) =>
    inTransaction(async (transaction) => {
      for (const [index, address] of addresses.entries())
        await transaction
          .updateTable('sign_in_failure')
          .set({
            failures: sql`failures - 1`,
            last_at: sql`case when last_at = ${at} then ${before[index]?.lastAt ?? at} else last_at end`,
          })
          .where('name', '=', name)
          .where('address', '=', address)
          .execute();
      await deleteEmpty(transaction, name);
    }),
  clearFailures: (name, addresses) =>
    inTransaction(async (transaction) => {
      const all = transaction.deleteFrom('sign_in_failure').where('name', '=', name);
      const chosen = addresses === undefined ? all : all.where('address', 'in', addresses);
      return (await chosen.returning('address').execute()).length;
    }),
  trimFailures: (before, most) =>
    inTransaction(async (transaction) => {
      await transaction.deleteFrom('sign_in_failure').where('last_at', '<', before).execute();
      const { rows } = await sql<{ n: number | string }>`select count(*) as n from sign_in_failure`.execute(
        transaction,
      );
      const tooMany = Math.min(SLICE, Number(rows[0]?.n ?? 0) - most);
      if (tooMany <= 0) return;
      await sql`
        delete from sign_in_failure where (name, address) in (
          select name, address from sign_in_failure order by last_at limit ${tooMany}
        )`.execute(transaction);
    }),
});
