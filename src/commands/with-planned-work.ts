import { existsSync } from 'node:fs';
import { createStores } from '../db/create-stores.ts';
import { openDatabase } from '../db/open-database.ts';
import { formatDatabase } from '../db/parse-database-url.ts';
import { describeCause } from '../model/database-failure.ts';
import type { PlannedWorkStore } from '../model/planned-work.ts';
import { parseSettings, readEnvironment } from '../settings.ts';
import { report } from './report.ts';

/** Runs `work` on the announced work in the database, or says in a line why that is not possible. Never rejects. */
export type WithPlannedWork = <T>(
  work: (store: PlannedWorkStore) => Promise<T>,
) => Promise<{ readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string }>;

/** Opens the database of the settings for one call. It makes no new one: no daemon would read that. */
export const withPlannedWork: WithPlannedWork = async (work) => {
  const parsed = parseSettings(readEnvironment(), {}, '127.0.0.1:0');
  if (!parsed.ok) return { ok: false, why: parsed.errors.join('; ') };
  const { database } = parsed.settings.platform;
  const name = formatDatabase(database);
  if (database.kind === 'sqlite' && !existsSync(database.path))
    return { ok: false, why: `there is no database ${name}; set SUBNETD_DATABASE_URL to that of the daemon` };
  let close = async () => {};
  try {
    const connection = await openDatabase(database, { onWarning: (warning) => report([`subnetd: ${warning}`]) });
    close = connection.close;
    return { ok: true, value: await work(createStores(connection).plannedWork) };
  } catch (error) {
    return {
      ok: false,
      why: `the database ${name} failed: ${describeCause(error).message}; check SUBNETD_DATABASE_URL`,
    };
  } finally {
    await close();
  }
};
