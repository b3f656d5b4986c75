import type { DatabaseConnection, OpenOptions } from './database-connection.ts';
import type { DatabaseAddress } from './database-url.ts';
import { migrate } from './migrate.ts';

/** Opens the database and updates its schema. Rejects with the driver's error and leaves nothing open then. */
export async function openDatabase(address: DatabaseAddress, options: OpenOptions = {}): Promise<DatabaseConnection> {
  const connection =
    address.kind === 'sqlite'
      ? await (await import('./open-sqlite.ts')).openSqlite(address.path, options)
      : await (await import('./open-postgres.ts')).openPostgres(address.url, options);
  try {
    await migrate(connection);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}
