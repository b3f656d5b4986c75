import type { Incident } from '../../model/incident.ts';
import { NOTHING_TO_DO, type Problem } from '../../model/problem.ts';

/** The problem of a stored incident that is not over, as it was last seen: the next diagnosis confirms it, or finds that it is gone. */
export const toRestoredProblem = (incident: Incident, now: number): Problem => {
  const { problem, component, name, severity, alert, last, foundAt, startedAt, clearSince, planned } = incident;
  return {
    ...{ problem, component, name, severity, alert },
    ...last,
    ...{ explains: [], causes: [], state: 'open', since: foundAt, openedAt: startedAt, seenAt: now, restoredAt: now },
    ...(clearSince !== undefined && { state: 'clearing', clearingSince: clearSince, fix: NOTHING_TO_DO }),
    ...(planned && { planned: { ...planned, mutes: true } }),
  };
};
