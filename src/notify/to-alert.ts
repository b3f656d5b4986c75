import type { Clock } from '../model/clock.ts';
import type { AlertAnnotations, AlertLabels, Incident } from '../model/incident.ts';

/** An alert as `POST /api/v2/alerts` takes it; times are RFC 3339. */
export interface PostableAlert {
  readonly labels: AlertLabels;
  readonly annotations: AlertAnnotations;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL?: string;
}

/** An incident as of `now`. A firing one ends `leaseMs` later unless it is sent again. */
export const toAlert = (
  incident: Incident,
  now: number,
  leaseMs: number,
  toWall: Clock['toWall'],
  generatorUrl?: string,
): PostableAlert => ({
  labels: incident.labels,
  annotations: incident.annotations,
  startsAt: new Date(toWall(incident.firedAt ?? incident.activeAt)).toISOString(),
  endsAt: new Date(
    incident.resolvedAt === undefined ? toWall(now) + leaseMs : toWall(incident.resolvedAt),
  ).toISOString(),
  generatorURL: generatorUrl,
});
