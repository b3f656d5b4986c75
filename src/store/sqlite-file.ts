import { rmSync } from 'node:fs';
import Database, { type Statement } from 'better-sqlite3';
import type { Read } from './database-connection.ts';
import type { SqlStatement, Written } from './lend-sqlite.ts';
import { type FileIdentity, IN_MEMORY, identify, lostFile, makeDatabaseFile, restrictFiles } from './private-files.ts';

/** SQLite itself never waits for a lock, because the calls behind it would wait as well; `whileBusy` waits instead. */
const TIMEOUT_MS = 0;

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

/** A connection keeps 2 MB of the file: SQLite's own default, where better-sqlite3 has 16. The kernel keeps the file anyway. */
const SMALL_CACHE = 'cache_size = -2000';

/**
 * The write-ahead log grows to 16 MB before its pages are copied to the file, where SQLite's own default is 4. Each add writes about
 * ten pages, and fewer copies make a tenth more of them a second.
 */
const LONG_LOG = 'wal_autocheckpoint = 4000';

function openFile(path: string): Database.Database {
  const database = new Database(path, { timeout: TIMEOUT_MS });
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    database.pragma(SMALL_CACHE);
    database.pragma(LONG_LOG);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens a file that exists for reading alone. */
function openReadOnly(path: string): Database.Database {
  const database = new Database(path, { readonly: true, timeout: TIMEOUT_MS });
  database.pragma(SMALL_CACHE);
  return database;
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

/**
 * Throws for a file that is not a database. SQLite itself reads it: to open and close the file in another way would end the locks
 * that this process has on it.
 */
function refuseOther(path: string): void {
  try {
    const database = new Database(path, { readonly: true, fileMustExist: true, timeout: TIMEOUT_MS });
    try {
      database.pragma('schema_version');
    } finally {
      database.close();
    }
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'SQLITE_NOTADB') throw error;
  }
}

/** The connection that writes, or one that reads. Each call waits for the disk, so all of them run in a thread of their own. */
export function createSqliteFile() {
  let open: { readonly database: Database.Database; readonly prepare: (sql: string) => Statement } | undefined;
  const opened = () => {
    if (open === undefined) throw new Error('the database is not open');
    return open;
  };
  const run = ([sql, parameters]: SqlStatement): readonly unknown[] => {
    const statement = opened().prepare(sql);
    if (statement.reader) return statement.all(...parameters);
    statement.run(...parameters);
    return [];
  };
  return {
    /** Creates the file and its folder if they are missing. Returns its path without links, and what to warn of. */
    make: (givenPath: string): { readonly path: string; readonly warnings: readonly string[] } => {
      if (givenPath === IN_MEMORY) return { path: givenPath, warnings: [] };
      const path = makeDatabaseFile(givenPath);
      // Of a file that is something else, the rights are left as they are.
      refuseOther(path);
      return { path, warnings: restrictFiles(path) };
    },
    open: (path: string): FileIdentity | undefined => {
      const { database, file } = openNamed(path);
      open = { database, prepare: createStatementCache(database) };
      return file;
    },
    /** Opens a file for reading alone, in a thread that runs nothing else. */
    openReader: (path: string): void => {
      const database = openReadOnly(path);
      open = { database, prepare: createStatementCache(database) };
    },
    /** Runs one statement, and returns its rows. */
    query: (sql: string, parameters: readonly unknown[]): readonly unknown[] => run([sql, parameters]),
    /** Runs statements one after the other, until one fails. */
    write: (statements: readonly SqlStatement[]): Written => {
      const rows: (readonly unknown[])[] = [];
      let version = 0;
      for (const [index, statement] of statements.entries()) {
        if (index === statements.length - 1) version = opened().prepare('pragma data_version').pluck().get() as number;
        rows.push(run(statement));
      }
      return { rows, version };
    },
    /** Runs any number of statements. */
    run: (sql: string): void => void opened().database.exec(sql),
    /** Returns the first column of the rows, as text. */
    column: (sql: string): readonly string[] => opened().database.prepare(sql).pluck().all().map(String),
    /** Throws if the database does not answer or, with `writes`, accepts no write. */
    ping: (writes: boolean): void => {
      const { database } = opened();
      database.prepare('select count(*) from sqlite_schema').get();
      if (!writes || database.inTransaction) return;
      // Nobody relies on this write, so it spares the disk a flush.
      database.pragma('synchronous = NORMAL');
      try {
        database.prepare(WRITE).run(new Date().toISOString());
      } finally {
        database.pragma('synchronous = FULL');
      }
    },
    /**
     * Closes it. The last writes of a lost file go to that file, wherever it is now, and its write-ahead log `log` is deleted.
     * One that is left behind would be taken for the log of the next file with this name.
     */
    close: (lost?: { readonly path: string; readonly log: FileIdentity | undefined }): void => {
      const database = open?.database;
      open = undefined;
      if (lost !== undefined) database?.pragma('wal_checkpoint(TRUNCATE)');
      database?.close();
      if (lost?.log !== undefined && identify(`${lost.path}-wal`) === lost.log)
        for (const end of ['-wal', '-shm']) rmSync(`${lost.path}${end}`, { force: true });
    },
  };
}

/** What the thread can be asked. */
export type SqliteFile = ReturnType<typeof createSqliteFile>;

/** Reads what is committed, on a connection that opens with the first read. It writes nothing, so it flushes nothing either. */
export function openSqliteReader(path: string): { readonly read: Read; readonly close: () => void } {
  let isOver = false;
  let database: Database.Database | undefined;
  let prepare: ReturnType<typeof createStatementCache> | undefined;
  const open = () => {
    if (isOver) throw Object.assign(new Error('the database is closed'), { code: 'DATABASE_CLOSED' });
    database = openReadOnly(path);
    prepare = createStatementCache(database);
    return prepare;
  };
  return {
    read: (sql, parameters) => (prepare ?? open())(sql).all(...parameters),
    close: () => {
      isOver = true;
      database?.close();
    },
  };
}
