import { sql } from 'kysely';
import { isBusy } from './busy.ts';
import type { DatabaseConnection } from './database-connection.ts';
import type { Queries } from './tables.ts';

/**
 * Runs the work in a transaction, all or nothing. Resolves when it is on disk. Runs it again only if the database
 * reports that nothing was stored. Rejects if the connection is lost at the commit: then it may or may not be on
 * disk.
 */
export type InTransaction = <T>(work: Work<T>) => Promise<T>;

type Work<T> = (transaction: Queries) => Promise<T>;

/** PostgreSQL ended the transaction in favour of another one: a deadlock, or a serialization failure. */
const isLostRace = (error: unknown): boolean => ['40P01', '40001'].includes((error as { code?: string }).code ?? '');

const ATTEMPTS = 5;

/** Locks at once: SQLite refuses a transaction that starts with a read if another process has written meanwhile. */
async function attempt<T>(db: Queries, kind: DatabaseConnection['kind'], work: Work<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql.raw(kind === 'sqlite' ? 'begin immediate' : 'begin').execute(connection);
    try {
      const result = await work(connection);
      const { rows } = await sql.raw<{ readonly command?: string }>('commit').execute(connection);
      // PostgreSQL answers like this, not with an error, if an earlier statement has failed.
      if (rows[0]?.command === 'ROLLBACK') throw new Error('the transaction was rolled back');
      return result;
    } catch (error) {
      await sql
        .raw('rollback')
        .execute(connection)
        .catch(() => {});
      throw error;
    }
  });
}

async function run<T>(db: Queries, kind: DatabaseConnection['kind'], work: Work<T>): Promise<T> {
  for (let left = ATTEMPTS - 1; ; left -= 1) {
    try {
      return await attempt(db, kind, work);
    } catch (error) {
      if (left <= 0 || !isLostRace(error)) throw error;
    }
  }
}

/** A write that waits for the end of the current turn of the event loop. */
interface Waiting {
  readonly work: Work<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * SQLite has one writer, and each commit waits for the disk and blocks everything. So the writes of one turn of the
 * event loop share a transaction. If one of them fails, each runs again in its own transaction. If another process
 * writes, all reject, and the callers try again.
 */
function createSharing(db: Queries): InTransaction {
  let waiting: Waiting[] = [];
  const runAll = async () => {
    const all = waiting;
    waiting = [];
    if (all.length > 1) {
      try {
        const results = await run(db, 'sqlite', async (transaction) => {
          const done: unknown[] = [];
          for (const { work } of all) done.push(await work(transaction));
          return done;
        });
        all.forEach(({ resolve }, index) => void resolve(results[index]));
        return;
      } catch (error) {
        if (isBusy(error)) {
          for (const { reject } of all) reject(error);
          return;
        }
      }
    }
    for (const { work, resolve, reject } of all) await run(db, 'sqlite', work).then(resolve, reject);
  };
  return <T>(work: Work<T>) =>
    new Promise<T>((resolve, reject) => {
      if (waiting.push({ work, resolve: resolve as Waiting['resolve'], reject }) === 1) setImmediate(runAll);
    });
}

/** How the repositories write: calls for the same database share transactions where possible. */
export const createInTransaction = (db: Queries, kind: DatabaseConnection['kind']): InTransaction =>
  kind === 'sqlite' ? createSharing(db) : (work) => run(db, kind, work);
