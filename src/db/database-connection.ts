import type { Dialect } from 'kysely';

/** Runs plain SQL on one connection. */
export interface Session {
  run(sql: string): Promise<void>;
  /** Returns the first column of the rows, as text. */
  column(sql: string): Promise<readonly string[]>;
}

/** A connection that belongs to one caller until it is released. */
export interface LentConnection {
  /** `command` is what PostgreSQL says that it has done. */
  query(
    text: string,
    parameters: readonly unknown[],
  ): Promise<{ readonly rows: readonly unknown[]; readonly command?: string }>;
  release(): void;
}

/** How a database is opened. */
export interface OpenOptions {
  /** Receives a sentence for each thing that an operator should know. */
  readonly onWarning?: (warning: string) => void;
  /** Receives how long SQLite has been busy with one statement so far, each second from the second one on. */
  readonly onSlow?: (ms: number) => void;
  /** Ends the wait for a database that another process keeps locked. */
  readonly signal?: AbortSignal;
}

/** Returns the rows of a query, without waiting for writers. */
export type Read = (sql: string, parameters: readonly unknown[]) => readonly unknown[];

/** An open database without Kysely: enough to migrate it and to check that it answers. */
export interface DatabaseConnection {
  readonly kind: 'sqlite' | 'postgres';
  /** Runs `work` in one exclusive transaction. */
  exclusively(work: (session: Session) => Promise<void>): Promise<void>;
  /** Returns the first column of the rows of a query, as text, without waiting for writers. */
  column(sql: string): Promise<readonly string[]>;
  /**
   * Rejects if the database does not answer, or is not the one that was opened. With `writes`, also if it accepts no
   * write. Needs the schema.
   */
  ping(writes: boolean): Promise<void>;
  /** Retries while another process keeps the database locked, without blocking the event loop. */
  retry<T>(attempt: () => T | Promise<T>): Promise<T>;
  /** Waits for a connection. SQLite has one that writes; Kysely waits for the same. */
  lend(): Promise<LentConnection>;
  /** Loads Kysely, only when it is needed: it costs a fifth of a second and 20 MB. */
  createDialect(): Promise<Dialect>;
  /**
   * What reads committed data at once, on its own connection: SQLite answers faster than a queue for the writing connection.
   * Absent if each query goes over a network anyway.
   */
  readonly openReader?: () => Promise<Read>;
  close(): Promise<void>;
}
