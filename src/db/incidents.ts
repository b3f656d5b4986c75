import type { Incident, IncidentStore } from '../model/incident.ts';
import type { InTransaction } from './in-transaction.ts';
import { createInstanceState } from './instance-state.ts';
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

/** The incidents of the instance of subnetd with this name. */
export function createIncidents(db: Queries, inTransaction: InTransaction, instance: string): IncidentStore {
  const state = createInstanceState(db, inTransaction, instance, 'incident', isIncident);
  return { load: async () => [...(await state.read()).values()], save: state.write };
}
