import { isBusy } from './busy.ts';
import type { DatabaseConnection } from './database-connection.ts';
import type { Run } from './sql.ts';

/**
 * Runs the work in a transaction, all or nothing. Resolves when it is on disk. Runs it again only if the database
 * reports that nothing was stored. Rejects if the connection is lost at the commit: then it may or may not be on
 * disk.
 */
export type InTransaction = <T>(work: Work<T>) => Promise<T>;

type Work<T> = (transaction: Run) => Promise<T>;

/** Runs work on a connection of its own. `control` runs a statement such as `commit`, and says what PostgreSQL has done. */
type OnConnection = <T>(
  work: (transaction: Run, control: (text: string) => Promise<string | undefined>) => Promise<T>,
) => Promise<T>;

/** PostgreSQL ended the transaction in favour of another one: a deadlock, or a serialization failure. */
const isLostRace = (error: unknown): boolean => ['40P01', '40001'].includes((error as { code?: string }).code ?? '');

const ATTEMPTS = 5;

/** Locks at once: SQLite refuses a transaction that starts with a read if another process has written meanwhile. */
const attempt = <T>(onConnection: OnConnection, kind: DatabaseConnection['kind'], work: Work<T>): Promise<T> =>
  onConnection(async (transaction, control) => {
    await control(kind === 'sqlite' ? 'begin immediate' : 'begin');
    try {
      const result = await work(transaction);
      // PostgreSQL answers like this, not with an error, if an earlier statement has failed.
      if ((await control('commit')) === 'ROLLBACK') throw new Error('the transaction was rolled back');
      return result;
    } catch (error) {
      await control('rollback').catch(() => {});
      throw error;
    }
  });

async function run<T>(onConnection: OnConnection, kind: DatabaseConnection['kind'], work: Work<T>): Promise<T> {
  for (let left = ATTEMPTS - 1; ; left -= 1) {
    try {
      return await attempt(onConnection, kind, work);
    } catch (error) {
      if (left <= 0 || !isLostRace(error)) throw error;
    }
  }
}

/** A write that waits for its commit to begin. */
interface Waiting {
  readonly work: Work<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * SQLite has one writer, and each commit waits for the disk. So all writes that come before the connection is free share a
 * transaction. If one of them fails, each runs again in its own transaction. If another process writes, or the connection
 * is not free in time, all reject, and nothing of them is stored.
 */
function createSharing(onConnection: OnConnection): InTransaction {
  let waiting: Waiting[] = [];
  const takeAll = (): readonly Waiting[] => {
    const all = waiting;
    waiting = [];
    return all;
  };
  const runAll = async () => {
    let all: readonly Waiting[] = [];
    try {
      const results = await run(onConnection, 'sqlite', async (transaction) => {
        all = takeAll();
        const done: unknown[] = [];
        for (const { work } of all) done.push(await work(transaction));
        return done;
      });
      all.forEach(({ resolve }, index) => void resolve(results[index]));
    } catch (error) {
      const isBegun = all.length > 0;
      if (!isBegun) all = takeAll();
      if (all.length > 1 && isBegun && !isBusy(error))
        for (const { work, resolve, reject } of all) await run(onConnection, 'sqlite', work).then(resolve, reject);
      else for (const { reject } of all) reject(error);
    }
  };
  return <T>(work: Work<T>) =>
    new Promise<T>((resolve, reject) => {
      if (waiting.push({ work, resolve: resolve as Waiting['resolve'], reject }) === 1) setImmediate(runAll);
    });
}

/** How the repositories write: calls for the same database share transactions where possible. */
export const createInTransaction = (onConnection: OnConnection, kind: DatabaseConnection['kind']): InTransaction =>
  kind === 'sqlite' ? createSharing(onConnection) : (work) => run(onConnection, kind, work);
