import type { Dialect } from 'kysely';

/** Runs plain SQL on one connection. */
export interface Session {
  run(sql: string): Promise<void>;
  /** The first column of the rows, as text. */
  column(sql: string): Promise<readonly string[]>;
}

/** How a database is opened. */
export interface OpenOptions {
  /** Takes a sentence for each thing that an operator should know. */
  readonly onWarning?: (warning: string) => void;
  /** Ends waiting for a database that another process keeps locked. */
  readonly signal?: AbortSignal;
}

/** An open database below Kysely: enough to migrate it and to see that it answers. */
export interface Engine {
  readonly kind: 'sqlite' | 'postgres';
  /** Runs `work` in one transaction that no other process can be in at the same time. */
  exclusively(work: (session: Session) => Promise<void>): Promise<void>;
  /** The first column of the rows of a query, as text, without waiting for who writes. */
  column(sql: string): Promise<readonly string[]>;
  /**
   * Rejects when the database does not answer, or is another than the one that was opened. `writes`: also when it takes no
   * write. Needs the schema.
   */
  ping(writes: boolean): Promise<void>;
  /** Calls again while another process keeps the database locked, and lets the event loop go on meanwhile. */
  retry<T>(attempt: () => T | Promise<T>): Promise<T>;
  /** Kysely is loaded here, and not before it is needed: it costs a fifth of a second and 20 MB. */
  createDialect(): Promise<Dialect>;
  /**
   * Reads committed data at once, on a connection of its own: SQLite answers faster than a queue for the writing one would.
   * Absent where each query goes over a network anyway.
   */
  readonly read?: (sql: string, parameters: readonly unknown[]) => readonly unknown[];
  close(): Promise<void>;
}
