import type { PlatformStore } from '../platform/model/platform-store.ts';
import { createRepositories } from '../store/create-repositories.ts';
import { formatDatabase } from '../store/database-url.ts';
import { describeFailedCall } from '../store/describe-outage.ts';
import { openDatabase } from '../store/open-database.ts';
import { describeMissing, readPlatform } from './read-database.ts';
import { type ExitCode, report } from './report.ts';

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
  const missing = mayCreate ? undefined : describeMissing(database);
  if (missing !== undefined) {
    report([`subnetd: ${missing}`]);
    return 2;
  }
  let close = async () => {};
  try {
    const connection = await openDatabase(database, {
      onWarning: (warning) => report([`subnetd: ${warning}`]),
    });
    close = connection.close;
    return await work((await createRepositories(connection, undefined, secretKeys)).platform);
  } catch (error) {
    report([`subnetd: ${describeFailedCall(formatDatabase(database), error)}`]);
    return 2;
  } finally {
    await close();
  }
}
