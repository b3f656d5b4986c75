import type { Clock } from '../../lib/clock.ts';
import { formatSecond } from '../../lib/duration.ts';
import { beginSentence } from '../../lib/words.ts';
import type { AlertAnnotations, AlertLabels, TrackedAlert } from '../alerts/tracked-alert.ts';

/** An alert as `POST /api/v2/alerts` takes it; times are RFC 3339. */
export interface PostableAlert {
  readonly labels: AlertLabels;
  readonly annotations: AlertAnnotations;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL?: string;
}

/** The annotations, with what was last seen of the problem. Its durations are of then. */
const describe = ({ annotations, details, seenAt }: TrackedAlert, toWall: Clock['toWall']): AlertAnnotations => {
  if (details === undefined) return annotations;
  const { evidence, fix, isRestored } = details;
  const seen = isRestored ? `${beginSentence(evidence)}.` : `Seen at ${formatSecond(toWall(seenAt))}: ${evidence}.`;
  return { ...annotations, description: `${annotations.description} ${seen}${fix ? ` To do: ${fix}.` : ''}` };
};

/** An alert as of `now`. A firing one ends `leaseMs` later unless it is sent again. */
export const toAlert = (
  alert: TrackedAlert,
  now: number,
  leaseMs: number,
  toWall: Clock['toWall'],
  generatorUrl?: string,
): PostableAlert => ({
  labels: alert.labels,
  annotations: describe(alert, toWall),
  startsAt: new Date(toWall(alert.firedAt ?? alert.activeAt)).toISOString(),
  endsAt: new Date(alert.resolvedAt === undefined ? toWall(now) + leaseMs : toWall(alert.resolvedAt)).toISOString(),
  generatorURL: generatorUrl,
});
