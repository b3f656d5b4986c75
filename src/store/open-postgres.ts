import pg, { type ClientBase } from 'pg';
import { databaseOverloaded } from '../lib/database-failure.ts';
import { createTurns } from './create-turns.ts';
import type { DatabaseConnection, OpenOptions, Session } from './database-connection.ts';
import { toDriverUrl } from './database-url.ts';

/** Settings of a session in PostgreSQL, with values in its units. */
export type SessionSettings = Readonly<Record<string, number>>;

const WITHIN_MS = 3_000;

/** Applies the settings to the session of a connection. Those that the server does not know, as older ones, are left out. */
export async function applySettings(client: ClientBase, settings: SessionSettings): Promise<void> {
  const query = {
    text: `select set_config(name, value, false) from unnest($1::text[], $2::text[]) as wanted (name, value)
      where exists (select from pg_settings where pg_settings.name = wanted.name)`,
    values: [Object.keys(settings), Object.values(settings).map(String)],
    query_timeout: WITHIN_MS,
  };
  await client.query(query);
}

/** The advisory lock of subnetd's migrations: any number that no other program uses. */
const MIGRATION_LOCK = 10_545_001;

/** The statements of all callers at once. One more connection is for the check of the server, which never queues. */
const CONNECTIONS = 10;
const CONNECT_WITHIN_MS = 3_000;
const CONNECT_AGAIN_MS = 200;
const ANSWER_WITHIN_MS = 10_000;
/** A call may wait for its turn as long as its statement may take. */
const TURN_WITHIN_MS = 10_000;
/** The check asks for nothing that takes time, and it tries twice. */
const PING_WITHIN_MS = 4_000;
/** A server that has answered a statement this recently is there, however late the check is. */
const RECENT_MS = 3_000;
/** A step of the schema may read a whole table, and the audit trail is kept for ever. */
const MIGRATE_WITHIN_MS = 10 * 60_000;

/** Options of a connection to PostgreSQL, with bounds in milliseconds. */
export interface PostgresOptions extends OpenOptions {
  readonly answerWithinMs?: number;
  readonly turnWithinMs?: number;
}

/** The server ends its connections: it stops, or its operator has ended this one. */
const isEnding = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code?.startsWith('57P') === true;

/** By these the server forgets a peer that is gone without a word. The defaults of the system take two hours. */
const SETTINGS: SessionSettings = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 25_000,
};

/** The server is there, but gives no more connections. */
const isFull = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '53300';

/** The driver has waited too long, for a connection or an answer. */
const isTimeout = (error: unknown): boolean => !(error instanceof pg.DatabaseError) && /timeout/i.test(String(error));

/**
 * A connection for one caller. After an error or a timeout it is not used again, not even to roll back: its server may still be
 * busy with the last statement, or out of reach. It ends a transaction that is left open.
 */
function lendConnection(client: pg.PoolClient, onAnswer: () => void, onRelease: () => void) {
  let failure: unknown;
  return {
    query: async (text: string, parameters: readonly unknown[]) => {
      if (failure !== undefined) throw failure;
      try {
        const result = await client.query(text, [...parameters]);
        onAnswer();
        return result;
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) failure = error;
        else if (!isEnding(error)) onAnswer();
        throw error;
      }
    },
    release: () => {
      client.release(failure !== undefined);
      onRelease();
    },
  };
}

/**
 * Opens a pool of connections, and connects once to check the server. Rejects with the driver's error.
 * `answerWithinMs` bounds each statement, `turnWithinMs` its wait for a connection: then the call rejects as overloaded.
 */
export async function openPostgres(
  url: string,
  { answerWithinMs = ANSWER_WITHIN_MS, turnWithinMs = TURN_WITHIN_MS, onWarning }: PostgresOptions = {},
): Promise<DatabaseConnection> {
  const pool = new pg.Pool({
    connectionString: toDriverUrl(url),
    application_name: 'subnetd',
    max: CONNECTIONS + 1,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    query_timeout: answerWithinMs,
    statement_timeout: answerWithinMs,
    // A peer that is gone in the middle of a transaction must not lock its rows for longer.
    idle_in_transaction_session_timeout: answerWithinMs,
    onConnect: (client) => applySettings(client, SETTINGS),
    keepAlive: true,
    allowExitOnIdle: true,
  });
  // A broken connection emits an error: on the pool while it is idle, on itself while it is in use. Without listeners
  // it would end the process. A caller that waits for an answer gets the error, too.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  let answeredAt = Number.NEGATIVE_INFINITY;
  const onAnswer = () => {
    answeredAt = performance.now();
  };
  const hasAnswered = () => performance.now() - answeredAt < RECENT_MS;
  const turns = createTurns({
    atOnce: CONNECTIONS,
    withinMs: turnWithinMs,
    late: databaseOverloaded,
    onLate: () =>
      onWarning?.(
        `requests wait longer than ${turnWithinMs / 1_000} s for the database and are refused with code 1102; look for slow or blocked statements (pg_stat_activity)`,
      ),
  });
  /** The pool never queues: the turns do. A server that is only busy or full gets more time than one that is gone. */
  const connect = async (): Promise<pg.PoolClient> => {
    const end = performance.now() + turnWithinMs;
    for (;;) {
      try {
        return await pool.connect();
      } catch (error) {
        const isBusy = (isFull(error) && pool.totalCount > 0) || (isTimeout(error) && hasAnswered());
        if (!isBusy || performance.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, CONNECT_AGAIN_MS));
      }
    }
  };
  const takeConnection = async () => {
    await turns.take();
    try {
      return lendConnection(await connect(), onAnswer, turns.give);
    } catch (error) {
      turns.give();
      throw error;
    }
  };
  const dropIdle = async () => {
    for (let left = pool.idleCount; left > 0 && pool.idleCount > 0; left -= 1) (await pool.connect()).release(true);
  };
  const readMode = async () => {
    const query = {
      text: "select current_setting('transaction_read_only') as mode",
      query_timeout: Math.min(PING_WITHIN_MS, answerWithinMs),
    };
    const { rows } = await pool.query<{ mode: string }>(query);
    if (rows[0]?.mode !== 'off')
      throw new Error('the server does not accept writes (a standby, or read-only); connect to the primary');
  };
  /** The statements of others show that the server is there when the check itself comes late. */
  const ping = async () => {
    try {
      await readMode();
    } catch (error) {
      if (isFull(error) && pool.totalCount > 0) return;
      if (error instanceof pg.DatabaseError && !isEnding(error)) throw error;
      // The connection may be one that the server has ended, or that nothing passes through, and so may the others that are idle.
      // A new one shows whether the server is there.
      await dropIdle().catch(() => {});
      await readMode().catch((again: unknown) => {
        if (!isTimeout(again) || !hasAnswered()) throw again;
      });
    }
  };
  let owned = true;
  const close = async () => {
    if (!owned) return;
    owned = false;
    turns.end();
    await pool.end();
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
    lend: takeConnection,
    lendScan: takeConnection,
    close,
  };
}
