import type { HistoryChange, Minute } from '../../model/history.ts';
import type { Incident, IncidentTimeline } from '../../model/incident.ts';

/** How much before and after an incident belongs to its timeline. */
export const AROUND_MS = 10 * 60_000;

/** At most this many changes are kept, half of them around the start, half around the end. */
const MOST_CHANGES = 300;
/** At most this many minutes are kept, those around the start. */
const MOST_MINUTES = 140;

/** The time of a timeline, in wall time; `end` is now while the incident is open. */
export const spanOf = (
  { startedAt, foundAt, endedAt }: Incident,
  now: number,
): { readonly from: number; readonly to: number } => ({
  from: Math.min(startedAt, foundAt) - AROUND_MS,
  to: Math.min(endedAt === undefined ? now : endedAt + AROUND_MS, now) + 1,
});

const keyOf = ({ at, subnet, component, name, kind, what, was, is }: HistoryChange): string =>
  JSON.stringify([at, subnet, component ?? null, name ?? null, kind, what, was, is]);

/** The changes and minutes that belong to an incident, each once, the oldest first. */
export function findTimeline(
  incident: Incident,
  now: number,
  changes: readonly HistoryChange[],
  minutes: readonly Minute[],
): IncidentTimeline {
  const { from, to } = spanOf(incident, now);
  const known = new Map<string, HistoryChange>();
  for (const change of changes)
    if (change.subnet === incident.subnet && change.at >= from && change.at < to) known.set(keyOf(change), change);
  const sorted = [...known.values()].sort((one, other) => one.at - other.at);
  const half = MOST_CHANGES / 2;
  const kept = sorted.length <= MOST_CHANGES ? sorted : [...sorted.slice(0, half), ...sorted.slice(-half)];
  const byTime = new Map(minutes.filter(({ at }) => at >= from - 60_000 && at < to).map((one) => [one.at, one]));
  const ordered = [...byTime.values()].sort((one, other) => one.at - other.at);
  return { changes: kept, minutes: ordered.slice(0, MOST_MINUTES) };
}
