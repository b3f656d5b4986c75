import { sql } from 'kysely';
import type { SignInStore } from '../model/sign-in-store.ts';
import type { InTransaction } from './in-transaction.ts';
import type { Queries } from './tables.ts';

/** How many rows are deleted at once, so that nobody waits long. */
const SLICE = 1_000;

/** Failed sign-ins, by user name and address. The name arrives as a digest, as people type passwords there. */
export const createSignInFailures = (
  db: Queries,
  inTransaction: InTransaction,
): Pick<SignInStore, 'findFailures' | 'addFailure' | 'clearFailures' | 'trimFailures'> => ({
  findFailures: async (name, addresses) => {
    const rows = await db
      .selectFrom('sign_in_failure')
      .select(['address', 'failures', 'last_at'])
      .where('name', '=', name)
      .where('address', 'in', addresses)
      .execute();
    return addresses.map((address) => {
      const row = rows.find((one) => one.address === address);
      return row && { failures: row.failures, lastAt: row.last_at };
    });
  },
  addFailure: (name, addresses, at, since) =>
    inTransaction(async (transaction) => {
      for (const address of addresses)
        await transaction
          .insertInto('sign_in_failure')
          .values({ name, address, failures: 1, last_at: at })
          .onConflict((conflict) =>
            conflict.columns(['name', 'address']).doUpdateSet({
              failures: sql`case when sign_in_failure.last_at < ${since} then 1 else sign_in_failure.failures + 1 end`,
              last_at: at,
            }),
          )
          .execute();
    }),
  clearFailures: async (name, addresses) => {
    const all = db.deleteFrom('sign_in_failure').where('name', '=', name);
    const chosen = addresses === undefined ? all : all.where('address', 'in', addresses);
    return (await chosen.returning('address').execute()).length;
  },
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
