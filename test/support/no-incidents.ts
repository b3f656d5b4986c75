import type { Incidents } from '../../src/model/incident.ts';
import type { AlertIncidents } from '../../src/tell/alerts/alert-incidents.ts';

/** No incident has ever happened. */
export const NO_INCIDENTS: Incidents & AlertIncidents = {
  list: async () => ({ incidents: [], isWhole: true }),
  read: async () => undefined,
  addNote: async () => 'unknown',
  acknowledge: async () => 'unknown',
  acknowledgedBy: () => undefined,
  incidentOf: () => undefined,
  isGenuine: async () => false,
  idOf: () => undefined,
  isNotifying: () => false,
};
