import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseAddress } from '../../src/store/database-url.ts';
import { usePostgres } from './postgres.ts';

/** Makes empty databases of one kind. */
export interface Databases {
  create(): Promise<DatabaseAddress>;
  stop(): Promise<void>;
}

/** Both kinds, for tests that run on each. */
export const DATABASE_KINDS = ['sqlite', 'postgres'] as const;

/** Prepares what makes databases of the kind. */
export async function startDatabases(kind: (typeof DATABASE_KINDS)[number]): Promise<Databases> {
  if (kind === 'postgres') {
    const server = await usePostgres();
    return { create: async () => ({ kind, url: await server.createDatabase() }), stop: server.stop };
  }
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  let made = 0;
  return {
    create: async () => {
      made += 1;
      return { kind, path: join(folder, `${made}.db`) };
    },
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
