import type { IdempotencyStore, IdempotentAdd, UsedKey } from '../platform/model/records.ts';
import { type Run, sql } from './sql.ts';

const readKey = async (run: Run, key: string, since: string): Promise<UsedKey | undefined> => {
  const rows = await run<UsedKey>(sql`
    select fingerprint, record_id as id from idempotency_key where key = ${key} and at >= ${since}`);
  return rows[0];
};

/** The keys of adds that were carried out. */
export const createIdempotencyKeys = (run: Run): IdempotencyStore => ({
  findUsedKey: (key, since) => readKey(run, key, since),
  trimUsedKeys: async (before) => void (await run(sql`delete from idempotency_key where at < ${before}`)),
});

/**
 * Takes a key in the transaction of its add. Resolves to what it was used for before; undefined if it was not. Another
 * process with the same key waits for the end of this transaction.
 */
export async function takeIdempotencyKey(
  transaction: Run,
  { key, fingerprint, since }: IdempotentAdd,
  at: string,
): Promise<UsedKey | undefined> {
  const rows = await transaction(sql`
    insert into idempotency_key (key, fingerprint, record_id, at) values (${key}, ${fingerprint}, 0, ${at})
    on conflict (key) do update set fingerprint = excluded.fingerprint, record_id = 0, at = excluded.at
      where idempotency_key.at < ${since}
    returning key`);
  return rows.length > 0 ? undefined : readKey(transaction, key, since);
}

/** Records what a key was used for, in the same transaction. */
export const fillIdempotencyKey = async (transaction: Run, { key }: IdempotentAdd, id: number): Promise<void> =>
  void (await transaction(sql`update idempotency_key set record_id = ${id} where key = ${key}`));
