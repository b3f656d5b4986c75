import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A real PostgreSQL that tests may use, each with databases of its own. */
export interface Postgres {
  /** Makes an empty database and gives its URL. */
  createDatabase(): Promise<string>;
  /** Runs a statement as the server's owner. */
  query(sql: string): Promise<void>;
  /** Ends what was started for the caller. */
  stop(): Promise<void>;
}

/** One that belongs to the test that started it, which may end it. */
export interface OwnPostgres extends Postgres {
  /** The URL of the database that is always there. */
  readonly url: string;
  /** Ends the server by PostgreSQL's fast shutdown (SIGINT) or another, and starts it again on the same data. */
  halt(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  resume(): Promise<void>;
}

const HOME = '/usr/lib/postgresql';

function findPrograms(): string {
  try {
    const newest = readdirSync(HOME).sort((a, b) => Number(b) - Number(a))[0];
    if (newest !== undefined) return join(HOME, newest, 'bin');
  } catch {
    // Said below.
  }
  throw new Error('these tests need PostgreSQL: apt-get install postgresql');
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

const toDatabase = (server: string, name: string): string =>
  Object.assign(new URL(server), { pathname: `/${name}` }).href;

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end().catch(() => {});
  }
}

/** What a test may do with the server at this URL, whoever started it. */
const connectTo = (url: string): Omit<Postgres, 'stop'> => ({
  createDatabase: async () => {
    const name = `test_${randomBytes(6).toString('hex')}`;
    await query(url, `create database ${name}`);
    return toDatabase(url, name);
  },
  query: (sql) => query(url, sql),
});

/** Starts Debian's PostgreSQL in a temporary folder; as root it runs as the user `postgres`, since it refuses root. */
export async function startPostgres(): Promise<OwnPostgres> {
  const programs = findPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const flags = ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
  execFileSync(join(programs, 'initdb'), flags, { ...user, cwd: folder, stdio: 'pipe' });
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;

  let child: ChildProcess;
  let ended: Promise<void>;
  const resume = async () => {
    const options = ['-D', data, '-k', folder, '-h', '127.0.0.1', '-p', String(port)];
    options.push('-c', 'fsync=off', '-c', 'max_connections=300');
    child = spawn(join(programs, 'postgres'), options, { ...user, cwd: folder, stdio: 'ignore' });
    ended = new Promise((resolve) => child.once('exit', () => resolve()));
    for (let left = 300; ; left -= 1) {
      try {
        return await query(url, 'select 1');
      } catch (error) {
        if (left === 0) throw new Error('PostgreSQL did not start within 30 seconds', { cause: error });
        await sleep(100);
      }
    }
  };
  // Both break the connections; SIGQUIT is the immediate shutdown, after which the server recovers as from a crash.
  const halt = async (signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT') => {
    child.kill(signal);
    await ended;
  };
  // A test run that is cut short must not leave a server behind.
  const endLast = (): void => void child?.kill('SIGQUIT');
  process.once('exit', endLast);
  await resume();
  return {
    ...connectTo(url),
    url,
    halt,
    resume,
    stop: async () => {
      await halt();
      process.off('exit', endLast);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The server of the test run, by `SUBNETD_TEST_POSTGRES_URL`; without one, a new one. */
export async function usePostgres(): Promise<Postgres> {
  const url = process.env.SUBNETD_TEST_POSTGRES_URL;
  if (url === undefined || url === '') return startPostgres();
  return { ...connectTo(url), stop: async () => {} };
}
