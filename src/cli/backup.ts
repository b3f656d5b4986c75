import { toShellWord } from '../lib/words.ts';
import { readDatabase, shellAddress } from './read-database.ts';
import { type ExitCode, refuse, report } from './report.ts';

const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs `work` with a signal that these abort, so that no half of a copy is left behind. */
async function withStops<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const name of STOPS) process.on(name, stop);
  try {
    return await work(stopping.signal);
  } finally {
    for (const name of STOPS) process.off(name, stop);
  }
}

/** `subnetd backup FILE`: copies the SQLite database as it is at one moment. */
export async function backup(file: string): Promise<ExitCode> {
  const database = readDatabase();
  if (database === undefined) return 2;
  if (database.kind === 'postgres') {
    const command = `pg_dump --format=custom --file=${toShellWord(file)} ${shellAddress(database.url)}`;
    return refuse('subnetd backup', `the database is PostgreSQL, which has its own tools; run: ${command}`);
  }
  const { backupSqlite } = await import('../store/backup-sqlite.ts');
  const written = await withStops((signal) => backupSqlite(database.path, file, signal));
  if (!written.ok) return refuse('subnetd backup', written.problem);
  process.stdout.write(`${file}: ${written.value} bytes; it holds secrets, so keep it where nobody else can read it\n`);
  return 0;
}

/** `subnetd restore FILE`: replaces the SQLite database with a backup. */
export async function restore(file: string): Promise<ExitCode> {
  const database = readDatabase();
  if (database === undefined) return 2;
  if (database.kind === 'postgres') {
    const command = `pg_restore --clean --if-exists --no-owner --dbname=${shellAddress(database.url)} ${toShellWord(file)}`;
    return refuse(
      'subnetd restore',
      `the database is PostgreSQL, which has its own tools; stop subnetd, then run: ${command}`,
    );
  }
  const { restoreSqlite } = await import('../store/restore-sqlite.ts');
  const restored = await withStops((signal) => restoreSqlite(database.path, file, new Date(), signal));
  if (!restored.ok) return refuse('subnetd restore', restored.problem);
  const { bytes, keptAs, isUnsure } = restored.value;
  if (isUnsure)
    report([
      'subnetd restore: the previous database is damaged, so subnetd cannot know whether a process has it open; restart subnetd if it runs',
    ]);
  const kept = keptAs === undefined ? '' : `; the previous database is ${keptAs}`;
  process.stdout.write(`${database.path}: ${bytes} bytes from ${file}${kept}\n`);
  process.stdout.write(
    'keys, passwords, sessions and recovery codes are those of the backup: revoke again what you have revoked since\n',
  );
  return 0;
}
