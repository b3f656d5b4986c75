import type { LentConnection } from './database-connection.ts';

/** Runs a statement and returns its rows. */
export type QuerySqlite = (sql: string, parameters: readonly unknown[]) => Promise<readonly unknown[]>;

/** A statement with its parameters. */
export type SqlStatement = readonly [sql: string, parameters: readonly unknown[]];

/** What statements brought. */
export interface Written {
  /** The rows of each. */
  readonly rows: readonly (readonly unknown[])[];
  /** What `pragma data_version` said before the last one: another number once another process has written. */
  readonly version: number;
}

/** Runs statements one after the other. Where one fails, those after it do not run. */
export type WriteSqlite = (statements: readonly SqlStatement[]) => Promise<Written>;

/** How a transaction reads the ends of the audit trail, before it writes there. */
export const READ_ENDS = 'select name, hash from audit_chain order by name';

/** The ends of the audit trail as the last transaction left them, and the version of the data then. */
export interface KnownEnds {
  last?: { readonly version: number; readonly rows: readonly unknown[] };
}

/** The connections of a file. */
export interface SqliteConnections {
  /** Reads what is committed, and cannot write. A database in memory has no other connection than the writer. */
  readonly read: QuerySqlite | undefined;
  /** The only connection that writes. */
  readonly write: WriteSqlite;
  /** Shared by all who are lent them. */
  readonly ends: KnownEnds;
  /** Waits until the writer is free, and keeps it. */
  readonly takeWriter: () => Promise<void>;
  readonly giveWriter: () => void;
}

/** A statement of another kind goes to the writer, which can do everything. */
const isRead = (sql: string): boolean => /^\s*select\b/i.test(sql);

const isTrailRow = (sql: string): boolean => sql.startsWith('insert into audit_event ');

/** These return nothing that anyone waits for, so they need no call of their own. If one fails, so does the statement that follows. */
const isHeld = (sql: string): boolean => sql.startsWith('begin') || isTrailRow(sql);

/**
 * Decides which connection each statement takes; nothing else does. Reads never wait for the writer. The first statement that is no
 * read takes it, such as the begin of a transaction, and all that follow stay with it until the release. A begin and the rows
 * of the audit trail are sent with the statement that follows them. A transaction that adds such rows reads the ends of the trail before
 * its commit, so the next one need not ask, unless another process has written meanwhile.
 */
export function lendSqlite({ read, write, ends, takeWriter, giveWriter }: SqliteConnections): LentConnection {
  let writes = false;
  let held: SqlStatement[] = [];
  /** The version of the data since the transaction has begun. */
  let version: number | undefined;
  return {
    query: async (sql, parameters) => {
      if (!writes && read !== undefined && isRead(sql)) return { rows: await read(sql, parameters) };
      if (!writes) await takeWriter();
      writes = true;
      if (isHeld(sql)) {
        held.push([sql, parameters]);
        return { rows: [] };
      }
      if (sql === READ_ENDS && held.length === 0 && version !== undefined && ends.last?.version === version)
        return { rows: ends.last.rows };
      // What was not sent yet needs no rollback, and must not fail it.
      const before = sql === 'rollback' ? [] : held;
      held = [];
      const addsRows = sql === 'commit' && before.some(([one]) => isTrailRow(one));
      const written = await write([...before, ...(addsRows ? [[READ_ENDS, []] as const] : []), [sql, parameters]]);
      version = sql === 'commit' || sql === 'rollback' ? undefined : written.version;
      if (addsRows) ends.last = { version: written.version, rows: written.rows.at(-2) ?? [] };
      return { rows: written.rows.at(-1) ?? [] };
    },
    release: () => {
      if (writes) giveWriter();
      writes = false;
      held = [];
      version = undefined;
    },
  };
}
