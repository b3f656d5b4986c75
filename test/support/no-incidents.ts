import type { Incidents } from '../../src/model/incident.ts';

/** No incident has ever happened. */
export const NO_INCIDENTS: Incidents = {
  list: async () => ({ incidents: [], isWhole: true }),
  read: async () => undefined,
  addNote: async () => 'unknown',
  idOf: () => undefined,
  isNotifying: () => false,
};
