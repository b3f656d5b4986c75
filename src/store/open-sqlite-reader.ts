import type Database from 'better-sqlite3';
import type { Read } from './database-connection.ts';
import { createStatementCache, openReadOnly } from './sqlite-file.ts';

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
