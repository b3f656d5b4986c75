import { databaseOverloaded } from '../lib/database-failure.ts';
import { loadOnce, valueWithin } from '../lib/promises.ts';
import { whileBusy } from './busy.ts';
import { createTurns } from './create-turns.ts';
import type { DatabaseConnection, OpenOptions, Session } from './database-connection.ts';
import { type KnownEnds, lendSqlite, type QuerySqlite } from './lend-sqlite.ts';
import { type FileIdentity, IN_MEMORY, identifyLater, lostFile } from './private-files.ts';
import { startSqliteScans } from './start-sqlite-scans.ts';
import { startSqliteThread } from './start-sqlite-thread.ts';

/** Nobody keeps the writing connection for longer, unless it hangs. */
const TURN_WITHIN_MS = 10_000;

/** A database that answers no ping for so long is as good as away for those who write. */
const PING_WITHIN_MS = 10_000;

const LATE = Symbol('late');
const closed = () => Object.assign(new Error('the connection to the database was closed'), { code: 'DATABASE_CLOSED' });
const stuck = () => Object.assign(new Error('SQLite is waiting for its disk'), { code: 'DATABASE_STUCK' });

/** Opens the file, and creates it and its folder if they are missing. Rejects with SQLite's error. */
export async function openSqlite(
  givenPath: string,
  { onWarning, onSlow, signal }: OpenOptions = {},
): Promise<DatabaseConnection> {
  const isFile = givenPath !== IN_MEMORY;
  const { call, close } = startSqliteThread(onSlow ?? (() => {}));
  const opened = async () => {
    const { path, warnings } = await call('make', givenPath);
    for (const warning of warnings) onWarning?.(warning);
    return { path, file: await whileBusy(() => call('open', path), signal) };
  };
  const { path, file } = await opened().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  /** The write-ahead log, once it has been seen. */
  let log: FileIdentity | undefined;
  let isLost = false;
  let isClosed = false;
  /** The pings that run, by whether they write. */
  const pinging = new Map<boolean, Promise<void>>();
  const turns = createTurns({ atOnce: 1, withinMs: TURN_WITHIN_MS, late: databaseOverloaded });
  const session: Session = { run: (sql) => call('run', sql), column: (sql) => call('column', sql) };
  const checkFiles = async () => {
    const [fileNow, logNow] = await Promise.all([identifyLater(path), identifyLater(`${path}-wal`)]);
    log ??= logNow;
    isLost = fileNow !== file || logNow !== log;
    if (isLost) throw lostFile(path);
  };
  const reader = loadOnce(async () => (await import('./sqlite-file.ts')).openSqliteReader(path));
  const scans = startSqliteScans(path);
  const ends: KnownEnds = {};
  const lendReading =
    (read: QuerySqlite): DatabaseConnection['lend'] =>
    async () => {
      if (isClosed) throw closed();
      return lendSqlite({
        read: isFile ? read : undefined,
        write: (statements) => call('write', statements),
        ends,
        takeWriter: turns.take,
        giveWriter: turns.give,
      });
    };
  return {
    kind: 'sqlite',
    exclusively: async (work) => {
      await whileBusy(() => session.run('begin immediate'), signal);
      try {
        await work(session);
        await session.run('commit');
      } catch (error) {
        await session.run('rollback').catch(() => {});
        throw error;
      }
    },
    column: (sql) => whileBusy(() => session.column(sql), signal),
    ping: async (writes) => {
      if (isFile) await checkFiles();
      // While one ping waits for the disk, no other one of its kind waits behind it.
      const ping =
        pinging.get(writes) ?? whileBusy(() => call('ping', writes), signal).finally(() => pinging.delete(writes));
      pinging.set(writes, ping);
      if ((await valueWithin(PING_WITHIN_MS, ping, LATE)) === LATE) throw stuck();
    },
    retry: (attempt) => whileBusy(attempt, signal),
    lend: lendReading(async (sql, parameters) => (await reader.get()).read(sql, parameters)),
    lendScan: lendReading(scans.scan),
    // A database in memory belongs to its one connection.
    ...(isFile && { openReader: async () => (await reader.get()).read }),
    close: async () => {
      isClosed = true;
      turns.end();
      (await reader.started()?.catch(() => undefined))?.close();
      await scans.close();
      await close(isLost ? { path, log } : undefined);
    },
  };
}
