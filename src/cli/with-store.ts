import type { PlatformStore } from '../platform/model/platform-store.ts';
import { createRepositories } from '../store/create-repositories.ts';
import { readPlatform, withDatabase } from './read-database.ts';
import { type ExitCode, refuse } from './report.ts';

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
