import { Socket } from 'node:net';
import pg from 'pg';
import { settleWithin } from '../lib/promises.ts';
import type { Lock } from '../model/fleet.ts';
import type { LockSession } from './create-election.ts';
import { toDriverUrl } from './database-url.ts';
import { applySettings, type SessionSettings } from './open-postgres.ts';

/** The advisory locks of elections: PostgreSQL's first key, which no other program uses. The second one is the lock. */
const LOCK_CLASS = 10_545_002;

const CONNECT_WITHIN_MS = 3_000;
const ANSWER_WITHIN_MS = 3_000;
const CLOSE_WITHIN_MS = 500;

/**
 * By these the server ends the session of a holder that is frozen, or cut off without a word, and frees its locks. A setting
 * that the server does not know is left out: before PostgreSQL 14, nothing ends the session of a process that is frozen.
 */
const SETTINGS: SessionSettings = {
  idle_session_timeout: 6_000,
  tcp_keepalives_idle: 4,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 2,
  tcp_user_timeout: 8_000,
};

const toKey = (lock: Lock): number => {
  if (lock === 'retention') return -1;
  return lock === 'api-retention' ? -2 : Number(lock.slice('shard-'.length));
};

/**
 * Opens a connection of its own: a pool would give the locks to whoever has the connection next. Rejects with the driver's
 * error, also when the server takes no writes: a standby has locks of its own.
 */
export async function openLockSession(url: string, onLost: () => void): Promise<LockSession> {
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: toDriverUrl(url),
    application_name: 'subnetd',
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
    statement_timeout: ANSWER_WITHIN_MS,
    keepAlive: true,
    stream: () => socket,
  });
  client.on('error', () => {});
  client.on('end', onLost);
  // A server that cannot be reached does not say goodbye.
  const close = async () => {
    client.off('end', onLost);
    await settleWithin(CLOSE_WITHIN_MS, client.end());
    socket.destroy();
  };
  try {
    await client.connect();
    await applySettings(client, SETTINGS);
    const { rows } = await client.query<{ mode: string }>("select current_setting('transaction_read_only') as mode");
    if (rows[0]?.mode !== 'off')
      throw new Error('the server does not accept writes, so its locks are not those of the primary');
  } catch (error) {
    await close();
    throw error;
  }
  return {
    tryLocks: async (locks) => {
      const { rows } = await client.query<{ key: number; got: boolean }>(
        'select key, pg_try_advisory_lock($1::int, key) as got from unnest($2::int[]) as wanted (key)',
        [LOCK_CLASS, locks.map(toKey)],
      );
      const got = new Set(rows.filter((row) => row.got).map(({ key }) => key));
      return locks.filter((lock) => got.has(toKey(lock)));
    },
    close,
  };
}
