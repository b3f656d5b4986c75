import pg from 'pg';
import type { Engine, Session } from './engine.ts';

/** Any number that no other program uses: the advisory lock of subnetd's migrations. */
const MIGRATION_LOCK = 10_545_001;

const CONNECTIONS = 10;
const CONNECT_WITHIN_MS = 3_000;
const ANSWER_WITHIN_MS = 10_000;

/** Opens a pool of connections, and makes one to see that the server is there. Rejects with the driver's error. */
export async function openPostgres(url: string): Promise<Engine> {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'subnetd',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
    statement_timeout: ANSWER_WITHIN_MS,
    keepAlive: true,
    allowExitOnIdle: true,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {});
  const ping = async () => void (await pool.query('select 1'));
  try {
    await ping();
  } catch (error) {
    await pool.end();
    throw error;
  }
  let owned = true;
  const close = async () => {
    if (owned) await pool.end();
    owned = false;
  };
  return {
    kind: 'postgres',
    exclusively: async (work) => {
      const client = await pool.connect();
      const session: Session = {
        run: async (sql) => void (await client.query(sql)),
        column: async (sql) => {
          const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
          return rows.map(([first]) => String(first));
        },
      };
      try {
        await client.query('begin');
        await client.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
        await work(session);
        await client.query('commit');
        client.release();
      } catch (error) {
        // A connection in an unknown state is thrown away.
        client.release(true);
        throw error;
      }
    },
    ping,
    createDialect: async () => {
      const { PostgresDialect } = await import('kysely');
      return new PostgresDialect({
        pool: { connect: () => pool.connect(), options: {}, end: async () => {} } as never,
      });
    },
    close,
  };
}
