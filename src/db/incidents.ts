import type { Incident, IncidentStore } from '../model/incident.ts';
import type { InTransaction } from './in-transaction.ts';
import type { Queries } from './tables.ts';

const isIncident = (value: unknown): value is Incident => {
  const { labels, annotations, phase, activeAt, seenAt, keepFiringForMs } = value as Partial<
    Record<keyof Incident, unknown>
  >;
  return (
    typeof labels === 'object' &&
    typeof annotations === 'object' &&
    ['pending', 'firing', 'resolved'].includes(String(phase)) &&
    typeof activeAt === 'number' &&
    typeof seenAt === 'number' &&
    typeof keepFiringForMs === 'number'
  );
};

/** The incidents of one instance of subnetd; others in the same database keep their own. */
export const createIncidents =
  (db: Queries, inTransaction: InTransaction) =>
  (instance: string): IncidentStore => ({
    load: async () => {
      const rows = await db.selectFrom('incident').select('state').where('instance', '=', instance).execute();
      return rows.map(({ state }): unknown => JSON.parse(state)).filter(isIncident);
    },
    save: (changed, gone) =>
      inTransaction(async (on) => {
        for (const key of [...gone, ...changed.keys()])
          await on.deleteFrom('incident').where('instance', '=', instance).where('key', '=', key).execute();
        for (const [key, incident] of changed)
          await on
            .insertInto('incident')
            .values({ instance, key, state: JSON.stringify(incident) })
            .execute();
      }),
  });
