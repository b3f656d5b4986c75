import { rmSync } from 'node:fs';
import Database, { type Statement } from 'better-sqlite3';
import type { Driver } from 'kysely';
import { databaseOverloaded } from '../model/database-failure.ts';
import { whileBusy } from './busy.ts';
import { createTurns } from './create-turns.ts';
import type { DatabaseConnection, OpenOptions, Session } from './database-connection.ts';
import { type FileIdentity, identify, identifyLater } from './file-identity.ts';
import { makeDatabaseFile, restrictFiles } from './private-files.ts';

/** SQLite itself never waits for a lock, because it would block the event loop; `whileBusy` waits instead. */
const TIMEOUT_MS = 0;

const IN_MEMORY = ':memory:';

/** Nobody keeps the writing connection for longer, unless it hangs. */
const TURN_WITHIN_MS = 10_000;

/** The write that shows whether the database accepts writes. */
const WRITE = `insert into kept_value (name, value) values ('written_at', ?)
  on conflict (name) do update set value = excluded.value`;

/** Callers have the text of a statement; SQLite runs a prepared one again in a tenth of the time. */
function createStatementCache(database: Database.Database): (sql: string) => Statement {
  const statements = new Map<string, Statement>();
  return (sql) => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    if (statements.size >= 200) statements.clear();
    statements.set(sql, statement);
    return statement;
  };
}

/** The database file is not the one that was opened. */
const lostFile = (path: string) =>
  Object.assign(new Error(`${path} was deleted or replaced while it was in use`), { code: 'DATABASE_FILE_LOST' });

function openFile(path: string): Database.Database {
  const database = new Database(path, { timeout: TIMEOUT_MS });
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens the file, and checks that it is the current one with that name. */
function openNamed(path: string): { readonly database: Database.Database; readonly file: FileIdentity | undefined } {
  const before = identify(path);
  const database = openFile(path);
  const file = identify(path);
  if (file === before) return { database, file };
  database.close();
  throw lostFile(path);
}

/** Opens the file, and creates it and its folder if they are missing. Rejects with SQLite's error. */
export async function openSqlite(
  givenPath: string,
  { onWarning, signal }: OpenOptions = {},
): Promise<DatabaseConnection> {
  const isFile = givenPath !== IN_MEMORY;
  const path = isFile ? makeDatabaseFile(givenPath) : givenPath;
  const restrict = () => isFile && restrictFiles(path).forEach((warning) => void onWarning?.(warning));
  restrict();
  const { database, file } = await whileBusy(() => openNamed(path), signal);
  /** The write-ahead log, once it has been seen. */
  let log: FileIdentity | undefined;
  let isLost = false;
  let reader: { readonly database: Database.Database; readonly prepare: (sql: string) => Statement } | undefined;
  const openReader = () => {
    const own = new Database(path, { readonly: true, timeout: TIMEOUT_MS });
    reader = { database: own, prepare: createStatementCache(own) };
    return reader;
  };
  const prepare = createStatementCache(database);
  const turns = createTurns({
    atOnce: 1,
    withinMs: TURN_WITHIN_MS,
    late: databaseOverloaded,
    ended: databaseOverloaded,
  });
  const session: Session = {
    run: async (sql) => void database.exec(sql),
    column: async (sql) => database.prepare(sql).pluck().all().map(String),
  };
  /** Nobody relies on this write, so it does not wait for the disk, which would block everything. */
  const write = () => {
    if (database.inTransaction) return;
    database.pragma('synchronous = NORMAL');
    try {
      database.prepare(WRITE).run(new Date().toISOString());
    } finally {
      database.pragma('synchronous = FULL');
    }
  };
  const checkFiles = async () => {
    const [fileNow, logNow] = await Promise.all([identifyLater(path), identifyLater(`${path}-wal`)]);
    log ??= logNow;
    isLost = fileNow !== file || logNow !== log;
    if (isLost) throw lostFile(path);
  };
  return {
    kind: 'sqlite',
    exclusively: async (work) => {
      await whileBusy(() => database.exec('begin immediate'), signal);
      try {
        await work(session);
        database.exec('commit');
      } catch (error) {
        if (database.inTransaction) database.exec('rollback');
        throw error;
      }
    },
    column: (sql) => whileBusy(() => session.column(sql), signal),
    ping: async (writes) => {
      if (isFile) await checkFiles();
      await whileBusy(() => {
        database.prepare('select count(*) from sqlite_schema').get();
        if (writes) write();
      }, signal);
    },
    retry: (attempt) => whileBusy(attempt, signal),
    lend: async () => {
      await turns.take();
      return {
        query: async (text, parameters) => {
          const statement = prepare(text);
          if (statement.reader) return { rows: statement.all(...parameters) };
          statement.run(...parameters);
          return { rows: [] };
        },
        release: turns.give,
      };
    },
    createDialect: async () => {
      const { SqliteDialect } = await import('kysely');
      const dialect = new SqliteDialect({ database: { prepare: prepare as never, close: () => {} } });
      const driver = dialect.createDriver();
      const acquire = driver.acquireConnection.bind(driver);
      // A transaction of Kysely and one of plain SQL wait for each other.
      const inTurn: Pick<Driver, 'acquireConnection' | 'releaseConnection'> = {
        acquireConnection: async () => {
          await turns.take();
          return acquire();
        },
        releaseConnection: async () => turns.give(),
      };
      dialect.createDriver = () => Object.assign(driver, inTurn);
      return dialect;
    },
    // A database in memory belongs to its one connection.
    ...(isFile && {
      read: (sql: string, parameters: readonly unknown[]) => (reader ?? openReader()).prepare(sql).all(...parameters),
    }),
    close: async () => {
      reader?.database.close();
      // The last writes go to their own file, wherever it is now. A log left behind would be taken for the log of the
      // next file with this name.
      if (isLost && database.open) database.pragma('wal_checkpoint(TRUNCATE)');
      database.close();
      if (isLost && log !== undefined && identify(`${path}-wal`) === log)
        for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    },
  };
}
