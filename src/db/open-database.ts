import type { Engine, OpenOptions } from './engine.ts';
import { migrate } from './migrate.ts';
import type { DatabaseAddress } from './parse-database-url.ts';

/** Opens the database and updates its schema. Rejects with the driver's error and leaves nothing open then. */
export async function openDatabase(address: DatabaseAddress, options: OpenOptions = {}): Promise<Engine> {
  const engine =
    address.kind === 'sqlite'
      ? await (await import('./open-sqlite.ts')).openSqlite(address.path, options)
      : await (await import('./open-postgres.ts')).openPostgres(address.url);
  try {
    await migrate(engine);
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}
