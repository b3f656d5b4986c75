import { type Incident, type Incidents, incidentKey } from '../model/incident.ts';

/** Adds incidents that were kept from before a restart; where both are known, the one that has been so for longer counts. */
export function mergeIncidents(current: Incidents, kept: readonly Incident[]): Incidents {
  const merged = new Map(current);
  for (const old of kept) {
    const key = incidentKey(old.labels);
    const known = merged.get(key);
    if (known === undefined) merged.set(key, old);
    else if (old.phase !== 'resolved' && known.phase !== 'resolved' && old.activeAt < known.activeAt)
      merged.set(key, { ...old, annotations: known.annotations, seenAt: known.seenAt });
  }
  return merged;
}
