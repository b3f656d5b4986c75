import { statSync } from 'node:fs';
import { type PlatformSettings, parseSettings, readEnvironment } from '../daemon/settings.ts';
import { toShellWord } from '../lib/words.ts';
import { type DatabaseAddress, formatDatabase } from '../store/database-url.ts';
import { report } from './report.ts';

/** The settings of the platform; undefined if a setting is bad, which is reported. */
export function readPlatform(): PlatformSettings | undefined {
  const parsed = parseSettings(readEnvironment(), {}, '127.0.0.1:0');
  if (parsed.ok) return parsed.settings.platform;
  report(parsed.errors.map((error) => `subnetd: ${error}`));
  return undefined;
}

/** The database in the settings; undefined if a setting is bad, which is reported. */
export const readDatabase = (): DatabaseAddress | undefined => readPlatform()?.database;

/** Says that there is no SQLite file at the address, which to open would make an empty one; undefined in any other case. */
export function describeMissing(database: DatabaseAddress): string | undefined {
  if (database.kind !== 'sqlite') return undefined;
  try {
    if (statSync(database.path, { throwIfNoEntry: false }) !== undefined) return undefined;
  } catch {
    // Nobody knows what is in a folder that this user may not open. To open the database says so.
    return undefined;
  }
  return `there is no database ${formatDatabase(database)}; set SUBNETD_DATABASE_URL to that of the daemon`;
}

/** The address of a PostgreSQL without the password, quoted for a shell command that a person types. */
export function shellAddress(url: string): string {
  const address = new URL(url);
  address.password = '';
  for (const name of ['password', 'sslpassword']) address.searchParams.delete(name);
  return toShellWord(address.href);
}
