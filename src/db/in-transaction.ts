import { sql } from 'kysely';
import { isBusy } from './busy.ts';
import type { Engine } from './engine.ts';
import type { Queries } from './tables.ts';

/**
 * Runs the work in a transaction: all of it, or nothing. Resolves when that is on disk. Runs it again only when the database
 * says that nothing of it was kept. Rejects when the connection is lost at the commit: it may or may not be on disk then.
 */
export type InTransaction = <T>(work: Work<T>) => Promise<T>;

type Work<T> = (transaction: Queries) => Promise<T>;

/** PostgreSQL ended the transaction so that another could go on: a deadlock, or two that cannot be in one order. */
const isLostRace = (error: unknown): boolean => ['40P01', '40001'].includes((error as { code?: string }).code ?? '');

const ATTEMPTS = 5;

/** One that starts by reading is refused by SQLite when another process has written meanwhile; so this locks at once. */
async function attempt<T>(db: Queries, kind: Engine['kind'], work: Work<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql.raw(kind === 'sqlite' ? 'begin immediate' : 'begin').execute(connection);
    try {
      const result = await work(connection);
      const { rows } = await sql.raw<{ readonly command?: string }>('commit').execute(connection);
      // PostgreSQL answers so, and not by an error, when a statement before had failed.
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

async function run<T>(db: Queries, kind: Engine['kind'], work: Work<T>): Promise<T> {
  for (let left = ATTEMPTS - 1; ; left -= 1) {
    try {
      return await attempt(db, kind, work);
    } catch (error) {
      if (left <= 0 || !isLostRace(error)) throw error;
    }
  }
}

/** A write that waits for the end of this turn of the event loop. */
interface Waiting {
  readonly work: Work<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * SQLite has one writer, who waits for the disk at each commit and lets everything wait with it. So the writes that come in
 * one turn of the event loop share a transaction. When one of them fails, each runs in one of its own. When another process
 * writes, all of them reject, and whoever called tries again.
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

/** How the store writes: each call shares what it can with the others of the same database. */
export const createInTransaction = (db: Queries, kind: Engine['kind']): InTransaction =>
  kind === 'sqlite' ? createSharing(db) : (work) => run(db, kind, work);
