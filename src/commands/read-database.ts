import type { DatabaseAddress } from '../db/parse-database-url.ts';
import { parseSettings, readEnvironment } from '../settings.ts';
import { complain } from './report.ts';

/** The database that the settings name; undefined when a setting is bad, which is reported. */
export function readDatabase(): DatabaseAddress | undefined {
  const parsed = parseSettings(readEnvironment(), {}, '127.0.0.1:0');
  if (parsed.ok) return parsed.settings.platform.database;
  complain(parsed.problems.map((problem) => `subnetd: ${problem}`));
  return undefined;
}

/** A word of a command as a shell takes it. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The address of a PostgreSQL for a command that a person types, without the password, as a shell takes it. */
export function shellAddress(url: string): string {
  const address = new URL(url);
  address.password = '';
  for (const name of ['password', 'sslpassword']) address.searchParams.delete(name);
  return shellWord(address.href);
}
