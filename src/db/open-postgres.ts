import pg from 'pg';
import type { DatabaseConnection, Session } from './database-connection.ts';

/** The advisory lock of subnetd's migrations: any number that no other program uses. */
const MIGRATION_LOCK = 10_545_001;

const CONNECTIONS = 10;
const CONNECT_WITHIN_MS = 3_000;
const ANSWER_WITHIN_MS = 10_000;
/** A step of the schema may read a whole table, and the audit trail is kept for ever. */
const MIGRATE_WITHIN_MS = 10 * 60_000;

/**
 * A connection for Kysely. After an error or a timeout it is not used again: its server may still be busy with the last
 * statement, and a transaction may be open.
 */
async function takeConnection(pool: pg.Pool) {
  const client = await pool.connect();
  let isUnsure = false;
  return {
    query: async (text: string, parameters: readonly unknown[]) => {
      try {
        return await client.query(text, [...parameters]);
      } catch (error) {
        isUnsure ||= !(error instanceof pg.DatabaseError);
        throw error;
      }
    },
    release: () => client.release(isUnsure),
  };
}

/**
 * Opens a pool of connections, and connects once to check the server. Rejects with the driver's error.
 * `answerWithinMs` bounds each statement.
 */
export async function openPostgres(
  url: string,
  answerWithinMs: number = ANSWER_WITHIN_MS,
): Promise<DatabaseConnection> {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'subnetd',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    query_timeout: answerWithinMs,
    statement_timeout: answerWithinMs,
    keepAlive: true,
    allowExitOnIdle: true,
  });
  // A broken connection emits an error: on the pool while it is idle, on itself while it is in use. Without listeners
  // it would end the process. A caller that waits for an answer gets the error, too.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  const readMode = async () => {
    const { rows } = await pool.query<{ mode: string }>("select current_setting('transaction_read_only') as mode");
    if (rows[0]?.mode !== 'off')
      throw new Error('the server takes no writes now (a standby, or read-only); connect to the primary');
  };
  const ping = async () => {
    try {
      await readMode();
    } catch (error) {
      if (error instanceof pg.DatabaseError && !error.code?.startsWith('57P')) throw error;
      // The connection may be one that the server has ended: a new one shows whether the server is there.
      await readMode();
    }
  };
  let owned = true;
  const close = async () => {
    if (owned) await pool.end();
    owned = false;
  };
  try {
    await ping();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    kind: 'postgres',
    exclusively: async (work) => {
      const client = await pool.connect();
      const session: Session = {
        run: async (sql) => {
          const query = { text: sql, query_timeout: MIGRATE_WITHIN_MS };
          await client.query(query);
        },
        column: async (sql) => {
          const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
          return rows.map(([first]) => String(first));
        },
      };
      try {
        await client.query('begin');
        await client.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
        await client.query(`set local statement_timeout = ${MIGRATE_WITHIN_MS}`);
        await work(session);
        await client.query('commit');
        client.release();
      } catch (error) {
        // A connection in an unknown state is thrown away.
        client.release(true);
        throw error;
      }
    },
    column: async (sql) => {
      const { rows } = await pool.query<unknown[]>({ text: sql, rowMode: 'array' });
      return rows.map(([first]) => String(first));
    },
    ping,
    retry: async (attempt) => attempt(),
    createDialect: async () => {
      const { PostgresDialect } = await import('kysely');
      return new PostgresDialect({
        pool: { connect: () => takeConnection(pool), options: {}, end: async () => {} } as never,
      });
    },
    close,
  };
}
