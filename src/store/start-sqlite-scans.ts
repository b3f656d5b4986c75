import { databaseOverloaded } from '../lib/database-failure.ts';
import { loadOnce } from '../lib/promises.ts';
import { createTurns } from './create-turns.ts';
import type { QuerySqlite } from './lend-sqlite.ts';
import { type SqliteThread, startSqliteThread } from './start-sqlite-thread.ts';

/** A scan that has waited for so long for those before it is refused. */
const TURN_WITHIN_MS = 10_000;

/** A thread takes 10 MB and up to half a second to start. */
const IDLE_MS = 60_000;

/** Reads that look at many rows, one after the other in a thread that runs only while there are any. */
export function startSqliteScans(path: string): { readonly scan: QuerySqlite; readonly close: () => Promise<void> } {
  const turns = createTurns({ atOnce: 1, withinMs: TURN_WITHIN_MS, late: databaseOverloaded });
  const start = async (): Promise<SqliteThread> => {
    const thread = startSqliteThread(() => {});
    try {
      await thread.call('openReader', path);
      return thread;
    } catch (error) {
      await thread.close();
      throw error;
    }
  };
  let thread = loadOnce(start);
  let idle: NodeJS.Timeout | undefined;
  const end = async () => {
    clearTimeout(idle);
    const ending = thread.started();
    thread = loadOnce(start);
    await (await ending?.catch(() => undefined))?.close();
  };
  return {
    scan: async (sql, parameters) => {
      await turns.take();
      clearTimeout(idle);
      const used = thread;
      try {
        return await (await used.get()).call('query', sql, parameters);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'DATABASE_THREAD_ENDED' && thread === used)
          thread = loadOnce(start);
        throw error;
      } finally {
        turns.give();
        idle = setTimeout(() => void end().catch(() => {}), IDLE_MS).unref();
      }
    },
    close: () => {
      turns.end();
      return end();
    },
  };
}
