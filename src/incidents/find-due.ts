import type { Incident, Incidents } from '../model/incident.ts';

/** When each incident was told last, and as what; by key. */
export type Told = ReadonlyMap<string, { readonly at: number; readonly phase: Incident['phase'] }>;

/** The incidents that are to be told now: what changed since it was told, and all others each `resendMs`. */
export function findDue(incidents: Incidents, told: Told, now: number, resendMs: number): Incidents {
  return new Map(
    [...incidents].filter(([key, { phase }]) => {
      if (phase === 'pending') return false;
      const last = told.get(key);
      // A clock set back must not keep an alert from being told.
      return last === undefined || last.phase !== phase || now - last.at >= resendMs || last.at > now;
    }),
  );
}
