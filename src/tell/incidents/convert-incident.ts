import type { Incident } from '../../model/incident.ts';

/** An incident with its times converted to another clock. */
export function convertIncident(incident: Incident, convert: (at: number) => number): Incident {
  const { clearSince, endedAt } = incident;
  return {
    ...incident,
    foundAt: convert(incident.foundAt),
    startedAt: convert(incident.startedAt),
    ...(clearSince !== undefined && { clearSince: convert(clearSince) }),
    ...(endedAt !== undefined && { endedAt: convert(endedAt) }),
    notified: incident.notified.map((one) => ({ ...one, at: convert(one.at) })),
  };
}
