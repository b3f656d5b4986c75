import { parseSettings, readEnvironment } from '../daemon/settings.ts';
import type { PlannedWorkStore } from '../model/planned-work.ts';
import { createStores } from '../store/create-stores.ts';
import { formatDatabase } from '../store/database-url.ts';
import { describeFailedCall } from '../store/describe-outage.ts';
import { openDatabase } from '../store/open-database.ts';
import { describeMissing } from './read-database.ts';
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
  const missing = describeMissing(database);
  if (missing !== undefined) return { ok: false, why: missing };
  let close = async () => {};
  try {
    const connection = await openDatabase(database, { onWarning: (warning) => report([`subnetd: ${warning}`]) });
    close = connection.close;
    return { ok: true, value: await work(createStores(connection).plannedWork) };
  } catch (error) {
    return { ok: false, why: describeFailedCall(formatDatabase(database), error) };
  } finally {
    await close();
  }
};
