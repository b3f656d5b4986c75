import type { Incident, Incidents } from '../model/incident.ts';

/** The same incidents with their times on another clock. */
export function convertIncidents(incidents: Incidents, convert: (at: number) => number): Incidents {
  const optional = <Name extends string>(name: Name, at: number | undefined) =>
    (at === undefined ? {} : { [name]: convert(at) }) as { readonly [key in Name]?: number };
  const toOther = (incident: Incident): Incident => ({
    ...incident,
    activeAt: convert(incident.activeAt),
    seenAt: convert(incident.seenAt),
    ...optional('firedAt', incident.firedAt),
    ...optional('clearSince', incident.clearSince),
    ...optional('resolvedAt', incident.resolvedAt),
  });
  return new Map([...incidents].map(([key, incident]) => [key, toOther(incident)]));
}
