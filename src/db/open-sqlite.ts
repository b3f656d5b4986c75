import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database, { type Statement } from 'better-sqlite3';
import type { Engine, Session } from './engine.ts';

/** How long opening waits for another process; the event loop stands meanwhile. */
const BUSY_MS = 2_000;

/** How long a write waits before it is tried again later (in-transaction.ts), so that the event loop goes on. */
const BUSY_WRITE_MS = 20;

/** Kysely prepares a statement for each query; SQLite runs a prepared one again in a tenth of the time. */
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

/** Opens the file, and makes it and its folder when they are absent. Throws SQLite's error. */
export function openSqlite(path: string): Engine {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const database = new Database(path, { timeout: BUSY_MS });
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
  } catch (error) {
    database.close();
    throw error;
  }
  let reader: { readonly database: Database.Database; readonly prepare: (sql: string) => Statement } | undefined;
  const openReader = () => {
    const own = new Database(path, { readonly: true, timeout: BUSY_MS });
    reader = { database: own, prepare: createStatementCache(own) };
    return reader;
  };
  const session: Session = {
    run: async (sql) => void database.exec(sql),
    column: async (sql) => database.prepare(sql).pluck().all().map(String),
  };
  return {
    kind: 'sqlite',
    exclusively: async (work) => {
      database.exec('begin immediate');
      try {
        await work(session);
        database.exec('commit');
      } catch (error) {
        if (database.inTransaction) database.exec('rollback');
        throw error;
      }
    },
    ping: async () => void database.prepare('select count(*) from sqlite_schema').get(),
    createDialect: async () => {
      const { SqliteDialect } = await import('kysely');
      database.pragma(`busy_timeout = ${BUSY_WRITE_MS}`);
      const prepare = createStatementCache(database) as never;
      return new SqliteDialect({ database: { prepare, close: () => {} } });
    },
    // A database in memory belongs to its one connection.
    ...(path !== ':memory:' && {
      read: (sql: string, parameters: readonly unknown[]) => (reader ?? openReader()).prepare(sql).all(...parameters),
    }),
    close: async () => {
      reader?.database.close();
      database.close();
    },
  };
}
