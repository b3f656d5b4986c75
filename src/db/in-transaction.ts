import { type Kysely, sql } from 'kysely';
import type { Engine } from './engine.ts';
import type { Queries } from './tables.ts';

/** PostgreSQL ended the transaction so that another could go on: a deadlock, or two that cannot be in one order. */
const isLostRace = (error: unknown): boolean => ['40P01', '40001'].includes((error as { code?: string }).code ?? '');

const ATTEMPTS = 5;

/** SQLite is being written by another process. */
const isBusy = (error: unknown): boolean => (error as { code?: string }).code?.startsWith('SQLITE_BUSY') === true;

const BUSY_FOR_MS = 5_000;
const TRY_AGAIN_MS = 50;

/**
 * Runs `work` in one transaction: all of it, or nothing. On SQLite it takes the lock for writing at once, as one that
 * starts by reading is refused when another process has written meanwhile.
 */
export async function inTransaction<T>(
  db: Queries,
  kind: Engine['kind'],
  work: (transaction: Queries) => Promise<T>,
): Promise<T> {
  const attempt = () =>
    db.connection().execute(async (connection) => {
      const on: Kysely<never> = connection as never;
      await sql.raw(kind === 'sqlite' ? 'begin immediate' : 'begin').execute(on);
      try {
        const result = await work(connection);
        await sql.raw('commit').execute(on);
        return result;
      } catch (error) {
        await sql
          .raw('rollback')
          .execute(on)
          .catch(() => {});
        throw error;
      }
    });
  const started = performance.now();
  for (let left = ATTEMPTS - 1; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      const mayWait = isBusy(error) && performance.now() - started < BUSY_FOR_MS;
      if (!mayWait && (left <= 0 || !isLostRace(error))) throw error;
      if (mayWait) await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
    }
  }
}
