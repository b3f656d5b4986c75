import type { Dialect } from 'kysely';

/** Runs plain SQL on one connection. */
export interface Session {
  run(sql: string): Promise<void>;
  /** The first column of the rows, as text. */
  column(sql: string): Promise<readonly string[]>;
}

/** An open database below Kysely: enough to migrate it and to see that it answers. */
export interface Engine {
  readonly kind: 'sqlite' | 'postgres';
  /** Runs `work` in one transaction that no other process can be in at the same time. */
  exclusively(work: (session: Session) => Promise<void>): Promise<void>;
  ping(): Promise<void>;
  /** Kysely is loaded here, and not before it is needed: it costs a fifth of a second and 20 MB. */
  createDialect(): Promise<Dialect>;
  /**
   * Reads committed data at once, on a connection of its own: SQLite answers faster than a queue for the writing one would.
   * Absent where each query goes over a network anyway.
   */
  readonly read?: (sql: string, parameters: readonly unknown[]) => readonly unknown[];
  close(): Promise<void>;
}
