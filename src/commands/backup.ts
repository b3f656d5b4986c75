import { readDatabase, shellAddress, shellWord } from './read-database.ts';
import { type ExitCode, report } from './report.ts';

/** `subnetd backup FILE`: copies the SQLite database as it is at one moment. */
export async function backup(file: string): Promise<ExitCode> {
  const database = readDatabase();
  if (database === undefined) return 2;
  if (database.kind === 'postgres') {
    const command = `pg_dump --format=custom --file=${shellWord(file)} ${shellAddress(database.url)}`;
    report([`subnetd backup: the database is PostgreSQL, which has its own tools; run: ${command}`]);
    return 2;
  }
  const { backupSqlite } = await import('../db/backup-sqlite.ts');
  const written = await backupSqlite(database.path, file);
  if (!written.ok) {
    report([`subnetd backup: ${written.problem}`]);
    return 2;
  }
  process.stdout.write(`${file}: ${written.value} bytes; it holds secrets, so keep it where nobody else can read it\n`);
  return 0;
}
