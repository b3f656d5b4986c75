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

/** An open database. */
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
  /**
   * Lends a connection. On SQLite a read outside a transaction sees what is committed, at once and on the event loop; what is no
   * read waits for the one connection that writes. PostgreSQL has one connection for both, which this waits for.
   */
  lend(): Promise<LentConnection>;
  /** The same for reads that may look at many rows: on SQLite they run in a thread, one after the other. */
  lendScan(): Promise<LentConnection>;
  /**
   * The connection of SQLite that reads on the event loop, for what is asked so often that even a promise costs too much.
   * Absent if each query goes over a network anyway.
   */
  readonly openReader?: () => Promise<Read>;
  close(): Promise<void>;
}
