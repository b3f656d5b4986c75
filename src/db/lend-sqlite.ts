import type { LentConnection } from './database-connection.ts';

/** Runs a statement and returns its rows. */
export type QuerySqlite = (sql: string, parameters: readonly unknown[]) => Promise<readonly unknown[]>;

/** A statement with its parameters. */
export type SqlStatement = readonly [sql: string, parameters: readonly unknown[]];

/** Runs the statements before the last one first, and returns its rows. Where one fails, those after it do not run. */
export type WriteSqlite = (
  sql: string,
  parameters: readonly unknown[],
  before: readonly SqlStatement[],
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

/** Nobody waits for what they return, so they spare the call to the thread. What fails of them fails the statement that follows. */
const isHeld = (sql: string): boolean => sql.startsWith('begin') || sql.startsWith('insert into audit_event ');

/**
 * Decides which connection each statement takes; nothing else does. Reads never wait for the writer. The first statement that is no
 * read takes it, such as the begin of a transaction, and all that follow stay with it until the release. A begin and the rows
 * of the audit trail are sent with the statement that follows them.
 */
export function lendSqlite({ read, write, takeWriter, giveWriter }: SqliteConnections): LentConnection {
  let writes = false;
  let held: SqlStatement[] = [];
  return {
    query: async (sql, parameters) => {
      if (!writes && read !== undefined && isRead(sql)) return { rows: await read(sql, parameters) };
      if (!writes) await takeWriter();
      writes = true;
      if (isHeld(sql)) {
        held.push([sql, parameters]);
        return { rows: [] };
      }
      // What was not sent yet needs no rollback, and must not fail it.
      const before = sql === 'rollback' ? [] : held;
      held = [];
      return { rows: await write(sql, parameters, before) };
    },
    release: () => {
      if (writes) giveWriter();
      writes = false;
      held = [];
    },
  };
}
