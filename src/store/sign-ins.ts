import type { SignInFailures, SignInStore } from '../platform/model/sign-in-store.ts';
import type { InTransaction } from './in-transaction.ts';
import { listSql, type Run, sql } from './sql.ts';

/** How many addresses are stored for a user; the newest stay. */
const MOST = 20;

/** The addresses from which users have signed in. */
export const createSignInAddresses = (
  run: Run,
  inTransaction: InTransaction,
): Pick<SignInStore, 'findSignIn' | 'keepSignIn'> => ({
  findSignIn: async (userId, address) => {
    const [row] = await run<{ at: string }>(sql`
      select at from sign_in_address where user_id = ${userId} and address = ${address}`);
    return row?.at;
  },
  keepSignIn: (userId, address, at) =>
    inTransaction(async (transaction) => {
      await transaction(sql`
        insert into sign_in_address (user_id, address, at) values (${userId}, ${address}, ${at})
        on conflict (user_id, address) do update set at = ${at}`);
      await transaction(sql`
        delete from sign_in_address where user_id = ${userId} and address not in (
          select address from sign_in_address where user_id = ${userId} order by at desc, address limit ${MOST})`);
    }),
});

/** How many rows are deleted at once, so that nobody waits long. */
const SLICE = 1_000;

const deleteEmpty = (transaction: Run, name: string) =>
  transaction(sql`delete from sign_in_failure where name = ${name} and failures <= 0`);

/** Failed sign-ins, by user name and address. The name arrives as a digest, as people type passwords there. */
export const createSignInFailures = (
  inTransaction: InTransaction,
): Pick<SignInStore, 'countAttempt' | 'takeBackAttempt' | 'clearFailures' | 'trimFailures'> => ({
  countAttempt: ({ name, addresses, at, since }, mayTry) =>
    inTransaction(async (transaction) => {
      const before: (SignInFailures | undefined)[] = [];
      for (const address of addresses) {
        // Locks the row until the end, also one that was not there.
        const [row] = await transaction<{ failures: number; last_at: string }>(sql`
          insert into sign_in_failure (name, address, failures, last_at) values (${name}, ${address}, 0, ${at})
          on conflict (name, address) do update set name = ${name} returning failures, last_at`);
        const { failures = 0, last_at = at } = row ?? {};
        before.push(failures === 0 ? undefined : { failures, lastAt: last_at });
      }
      if (mayTry(before))
        await transaction(sql`
          update sign_in_failure set last_at = ${at}, failures = case when last_at < ${since} then 1 else failures + 1 end
          where name = ${name} and address in (${listSql(addresses)})`);
      else await deleteEmpty(transaction, name);
      return before;
    }),
  takeBackAttempt: ({ name, addresses, at }, before) =>
    inTransaction(async (transaction) => {
      for (const [index, address] of addresses.entries())
        await transaction(sql`
          update sign_in_failure set failures = failures - 1,
            last_at = case when last_at = ${at} then ${before[index]?.lastAt ?? at} else last_at end
          where name = ${name} and address = ${address}`);
      await deleteEmpty(transaction, name);
    }),
  clearFailures: (name, addresses) =>
    inTransaction(async (transaction) => {
      const chosen = addresses === undefined ? sql`` : sql` and address in (${listSql(addresses)})`;
      const rows = await transaction(sql`delete from sign_in_failure where name = ${name}${chosen} returning address`);
      return rows.length;
    }),
  trimFailures: (before, most) =>
    inTransaction(async (transaction) => {
      await transaction(sql`delete from sign_in_failure where last_at < ${before}`);
      const [row] = await transaction<{ n: number | string }>(sql`select count(*) as n from sign_in_failure`);
      const tooMany = Math.min(SLICE, Number(row?.n ?? 0) - most);
      if (tooMany <= 0) return;
      await transaction(sql`
        delete from sign_in_failure where (name, address) in (
          select name, address from sign_in_failure order by last_at limit ${tooMany})`);
    }),
});
