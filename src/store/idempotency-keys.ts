import { sql } from 'kysely';
import type { IdempotencyStore, IdempotentAdd, UsedKey } from '../platform/model/records.ts';
import type { Queries } from './tables.ts';

const readKey = (db: Queries, key: string, since: string): Promise<UsedKey | undefined> =>
  db
    .selectFrom('idempotency_key')
    .select(['fingerprint', 'record_id as id'])
    .where('key', '=', key)
    .where('at', '>=', since)
    .executeTakeFirst();

/** The keys of adds that were carried out. */
export const createIdempotencyKeys = (db: Queries): IdempotencyStore => ({
  findUsedKey: (key, since) => readKey(db, key, since),
  trimUsedKeys: async (before) => void (await db.deleteFrom('idempotency_key').where('at', '<', before).execute()),
});

/**
 * Takes a key in the transaction of its add. Resolves to what it was used for before; undefined if it was not. Another
 * process with the same key waits for the end of this transaction.
 */
export async function takeIdempotencyKey(
  transaction: Queries,
  { key, fingerprint, since }: IdempotentAdd,
  at: string,
): Promise<UsedKey | undefined> {
  const { rows } = await sql`
    insert into idempotency_key (key, fingerprint, record_id, at) values (${key}, ${fingerprint}, 0, ${at})
    on conflict (key) do update set fingerprint = excluded.fingerprint, record_id = 0, at = excluded.at
      where idempotency_key.at < ${since}
    returning key`.execute(transaction);
  return rows.length > 0 ? undefined : readKey(transaction, key, since);
}

/** Records what a key was used for, in the same transaction. */
export const fillIdempotencyKey = async (transaction: Queries, { key }: IdempotentAdd, id: number): Promise<void> =>
  void (await transaction.updateTable('idempotency_key').set({ record_id: id }).where('key', '=', key).execute());
