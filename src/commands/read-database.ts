import type { DatabaseAddress } from '../db/parse-database-url.ts';
import { parseSettings, readEnvironment } from '../settings.ts';
import { report } from './report.ts';

/** The database in the settings; undefined if a setting is bad, which is reported. */
export function readDatabase(): DatabaseAddress | undefined {
  const parsed = parseSettings(readEnvironment(), {}, '127.0.0.1:0');
  if (parsed.ok) return parsed.settings.platform.database;
  report(parsed.errors.map((error) => `subnetd: ${error}`));
  return undefined;
}

/** A word, quoted for a shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The address of a PostgreSQL without the password, quoted for a shell command that a person types. */
export function shellAddress(url: string): string {
  const address = new URL(url);
  address.password = '';
  for (const name of ['password', 'sslpassword']) address.searchParams.delete(name);
  return shellWord(address.href);
}
