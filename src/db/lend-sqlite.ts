import type { LentConnection } from './database-connection.ts';

/** Runs a statement and returns its rows. */
export type QuerySqlite = (sql: string, parameters: readonly unknown[]) => Promise<readonly unknown[]>;

/** Runs `begin` before the statement, if it is there. Where it fails, the statement does not run. */
export type WriteSqlite = (
  sql: string,
  parameters: readonly unknown[],
  begin: string | undefined,
) => Promise<readonly unknown[]>;

/** The connections of a file. */
export interface SqliteConnections {
  /** Reads what is committed, and cannot write. A database in memory has no other connection than the writer. */
  readonly read: QuerySqlite | undefined;
  /** The only connection that writes. */
  readonly write: WriteSqlite;
  /** Waits until the writer is free, and keeps it. */
  readonly takeWriter: () => Promise<void>;
  readonly giveWriter: () => void;
}

/** A statement of another kind goes to the writer, which can do everything. */
const isRead = (sql: string): boolean => /^\s*select\b/i.test(sql);
const isBegin = (sql: string): boolean => sql.startsWith('begin');

/**
 * Decides which connection each statement takes; nothing else does. Reads never wait for the writer. The first statement that is no
 * read takes it, such as the begin of a transaction, and all that follow stay with it until the release. A begin is sent with the
 * statement that follows it.
 */
export function lendSqlite({ read, write, takeWriter, giveWriter }: SqliteConnections): LentConnection {
  let writes = false;
  let begin: string | undefined;
  return {
    query: async (sql, parameters) => {
      if (!writes && read !== undefined && isRead(sql)) return { rows: await read(sql, parameters) };
      if (!writes) await takeWriter();
      writes = true;
      const first = begin;
      begin = isBegin(sql) ? sql : undefined;
      return { rows: begin === undefined ? await write(sql, parameters, first) : [] };
    },
    release: () => {
      if (writes) giveWriter();
      writes = false;
      begin = undefined;
    },
  };
}
