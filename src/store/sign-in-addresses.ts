import type { SignInStore } from '../platform/model/sign-in-store.ts';
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
