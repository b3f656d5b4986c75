import type { Clock } from '../model/clock.ts';
import type { AlertAnnotations, AlertLabels, TrackedAlert } from '../model/tracked-alert.ts';

/** An alert as `POST /api/v2/alerts` takes it; times are RFC 3339. */
export interface PostableAlert {
  readonly labels: AlertLabels;
  readonly annotations: AlertAnnotations;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL?: string;
}

/** An alert as of `now`. A firing one ends `leaseMs` later unless it is sent again. */
export const toAlert = (
  alert: TrackedAlert,
  now: number,
  leaseMs: number,
  toWall: Clock['toWall'],
  generatorUrl?: string,
): PostableAlert => ({
  labels: alert.labels,
  annotations: alert.annotations,
  startsAt: new Date(toWall(alert.firedAt ?? alert.activeAt)).toISOString(),
  endsAt: new Date(alert.resolvedAt === undefined ? toWall(now) + leaseMs : toWall(alert.resolvedAt)).toISOString(),
  generatorURL: generatorUrl,
});
