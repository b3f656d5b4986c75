import type { Incident } from '../model/incident.ts';
import type { Problem } from '../model/problem.ts';

/** The problem of a stored incident that is open, as it was last seen: the next diagnosis confirms it, or finds that it is gone. */
export const toRestoredProblem = (incident: Incident, now: number): Problem => {
  const { problem, component, name, severity, alert, last, foundAt, startedAt, planned } = incident;
  return {
    ...{ problem, component, name, severity, alert },
    ...last,
    ...{ explains: [], causes: [], state: 'open', since: foundAt, openedAt: startedAt, seenAt: now, restoredAt: now },
    ...(planned && { planned: { ...planned, mutes: true } }),
  };
};
