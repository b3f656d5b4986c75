import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A real PostgreSQL that belongs to the test that started it. */
export interface Postgres {
  /** Makes an empty database and gives its URL. */
  createDatabase(): Promise<string>;
  /** Runs a statement as the server's owner. */
  query(sql: string): Promise<void>;
  /** Ends the server by PostgreSQL's fast shutdown (SIGINT) or another, and starts it again on the same data. */
  halt(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
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

/** Starts Debian's PostgreSQL in a temporary folder; as root it runs as the user `postgres`, since it refuses root. */
export async function startPostgres(): Promise<Postgres> {
  const programs = findPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const flags = ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
  execFileSync(join(programs, 'initdb'), flags, { ...user, cwd: folder, stdio: 'pipe' });
  const port = await freePort();
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;

  const query = async (sql: string) => {
    const client = new pg.Client({ connectionString: urlOf('postgres') });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query(sql);
    } finally {
      await client.end().catch(() => {});
    }
  };
  let child: ChildProcess;
  let ended: Promise<void>;
  const resume = async () => {
    const options = ['-D', data, '-k', folder, '-h', '127.0.0.1', '-p', String(port), '-c', 'fsync=off'];
    child = spawn(join(programs, 'postgres'), options, { ...user, cwd: folder, stdio: 'ignore' });
    ended = new Promise((resolve) => child.once('exit', () => resolve()));
    for (let left = 300; ; left -= 1) {
      try {
        return await query('select 1');
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
  await resume();
  let made = 0;
  return {
    createDatabase: async () => {
      made += 1;
      await query(`create database test_${made}`);
      return urlOf(`test_${made}`);
    },
    query,
    halt,
    resume,
    stop: async () => {
      await halt();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
