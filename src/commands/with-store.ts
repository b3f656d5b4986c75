import { createRepositories } from '../db/create-repositories.ts';
import { openDatabase } from '../db/open-database.ts';
import { formatDatabase } from '../db/parse-database-url.ts';
import { describeCause } from '../model/database-failure.ts';
import type { PlatformStore } from '../model/platform-store.ts';
import { readDatabase } from './read-database.ts';
import { type ExitCode, report } from './report.ts';

/** Opens the database of the settings for one command. A bad setting or a failing database gives exit code 2. */
export async function withStore(work: (store: PlatformStore) => Promise<ExitCode>): Promise<ExitCode> {
  const database = readDatabase();
  if (database === undefined) return 2;
  let close = async () => {};
  try {
    const connection = await openDatabase(database, {
      onWarning: (warning) => report([`subnetd: ${warning}`]),
    });
    close = connection.close;
    return await work((await createRepositories(connection)).platform);
  } catch (error) {
    const { message } = describeCause(error);
    report([`subnetd: the database ${formatDatabase(database)} failed: ${message}; check SUBNETD_DATABASE_URL`]);
    return 2;
  } finally {
    await close();
  }
}
