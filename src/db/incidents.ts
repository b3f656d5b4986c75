import type { Incident, IncidentStore } from '../model/incident.ts';
import type { Engine } from './engine.ts';
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
export function createIncidents(db: Queries, engine: Engine['kind'], instance: string): IncidentStore {
  const state = createInstanceState(db, engine, instance, 'incident', isIncident);
  return { load: async () => [...(await state.read()).values()], save: state.write };
}
