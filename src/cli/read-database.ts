import { statSync } from 'node:fs';
import { type PlatformSettings, parseSettings, readEnvironment } from '../daemon/settings.ts';
import { toShellWord } from '../lib/words.ts';
import type { PlatformStore } from '../platform/model/platform-store.ts';
import { createRepositories } from '../store/create-repositories.ts';
import type { DatabaseConnection } from '../store/database-connection.ts';
import { type DatabaseAddress, formatDatabase } from '../store/database-url.ts';
import { describeFailedCall } from '../store/describe-outage.ts';
import { openDatabase } from '../store/open-database.ts';
import { type ExitCode, refuse, report } from './report.ts';

/** The settings of the platform; undefined if a setting is bad, which is reported. */
function readPlatform(): PlatformSettings | undefined {
  const parsed = parseSettings(readEnvironment(), {}, '127.0.0.1:0');
  if (parsed.ok) return parsed.settings.platform;
  report(parsed.errors.map((error) => `subnetd: ${error}`));
  return undefined;
}

/** The database in the settings; undefined if a setting is bad, which is reported. */
export const readDatabase = (): DatabaseAddress | undefined => readPlatform()?.database;

/** Says that there is no SQLite file at the address, which to open would make an empty one; undefined in any other case. */
function describeMissing(database: DatabaseAddress): string | undefined {
  if (database.kind !== 'sqlite') return undefined;
  try {
    if (statSync(database.path, { throwIfNoEntry: false }) !== undefined) return undefined;
  } catch {
    // Nobody knows what is in a folder that this user may not open. To open the database says so.
    return undefined;
  }
  return `there is no database ${formatDatabase(database)}; set SUBNETD_DATABASE_URL to that of the daemon`;
}

/** What was done in a database, or in a sentence why that is not possible. */
export type InDatabase<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** Opens a database for one call. Makes no new one unless it `mayCreate` it: no daemon would read that. Never rejects. */
export async function withDatabase<T>(
  database: DatabaseAddress,
  work: (connection: DatabaseConnection) => Promise<T>,
  mayCreate = false,
): Promise<InDatabase<T>> {
  const missing = mayCreate ? undefined : describeMissing(database);
  if (missing !== undefined) return { ok: false, why: missing };
  let close = async () => {};
  try {
    const connection = await openDatabase(database, { onWarning: (warning) => report([`subnetd: ${warning}`]) });
    close = connection.close;
    return { ok: true, value: await work(connection) };
  } catch (error) {
    return { ok: false, why: describeFailedCall(formatDatabase(database), error) };
  } finally {
    await close();
  }
}

/** The address of a PostgreSQL without the password, quoted for a shell command that a person types. */
export function shellAddress(url: string): string {
  const address = new URL(url);
  address.password = '';
  for (const name of ['password', 'sslpassword']) address.searchParams.delete(name);
  return toShellWord(address.href);
}

/**
 * Opens the database of the settings for one command, and makes it if the command `mayCreate` it. A bad setting, and a database
 * that is missing or fails, give exit code 2.
 */
export async function withStore(
  work: (store: PlatformStore) => Promise<ExitCode>,
  { mayCreate = false }: { readonly mayCreate?: boolean } = {},
): Promise<ExitCode> {
  const platform = readPlatform();
  if (platform === undefined) return 2;
  const { database, secretKeys } = platform;
  const done = await withDatabase(
    database,
    async (connection) => work((await createRepositories(connection, undefined, secretKeys)).platform),
    mayCreate,
  );
  return done.ok ? done.value : refuse('subnetd', done.why);
}
