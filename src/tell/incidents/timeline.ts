import type { HistoryChange, HistoryStore, Minute } from '../../model/history.ts';
import type { Incident, IncidentTimeline } from '../../model/incident.ts';

/** How much before and after an incident belongs to its timeline. */
export const AROUND_MS = 10 * 60_000;

/** At most this many changes are kept, half of them around the start, half around the end. */
const MOST_CHANGES = 300;
/** At most this many minutes are kept, those around the start. */
const MOST_MINUTES = 140;

/** The time of a timeline, in wall time; `end` is now while the incident is open. */
const spanOf = (
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

/** What a timeline is made of. */
export interface TimelineSources {
  /** Rejects while the database is down. */
  readonly history: () => Promise<Pick<HistoryStore, 'changes' | 'minutesFrom'>>;
  readonly minutesOf: (subnet: string) => readonly Minute[];
  /** Now, in wall time. */
  readonly now: () => number;
}

/** Finds what changed around incidents. */
export interface TimelineReader {
  /** Takes changes into memory, so that those are known that the database does not have. */
  add(changes: readonly HistoryChange[]): void;
  /** In wall time; `known` is what was stored earlier. Rejects when the database fails. */
  read(incident: Incident, known?: IncidentTimeline): Promise<IncidentTimeline>;
  /** The same without the database. */
  recall(incident: Incident, known?: IncidentTimeline): IncidentTimeline;
}

/** At most this many changes are in memory, the last ones. */
const MOST_RECALLED = 2_000;
/** At most this many changes are read around the start, and as many up to the end. */
const MOST_READ = 150;
/** Only the last minutes are read. A longer incident has had its first ones stored. */
const MINUTES_READ_MS = 3 * 3_600_000;

export function createTimelineReader({ history, minutesOf, now }: TimelineSources): TimelineReader {
  let recent: readonly HistoryChange[] = [];
  const none: IncidentTimeline = { changes: [], minutes: [] };
  const recall = (incident: Incident, { changes, minutes } = none) =>
    findTimeline(incident, now(), [...changes, ...recent], [...minutes, ...minutesOf(incident.subnet)]);
  return {
    add: (changes) => {
      recent = [...recent, ...changes].slice(-MOST_RECALLED);
    },
    recall,
    read: async (incident, known = none) => {
      const { subnet } = incident;
      const { from, to } = spanOf(incident, now());
      const store = await history();
      const atStart = { subnet, from, to: Math.min(to, incident.startedAt + AROUND_MS), limit: MOST_READ };
      const changes = [
        ...(await store.changes(atStart)),
        ...(atStart.to < to ? await store.changes({ ...atStart, from: atStart.to, to }) : []),
      ].map(({ id: _, ...change }): HistoryChange => change);
      const rows = await store.minutesFrom(Math.max(from - 60_000, now() - MINUTES_READ_MS), [subnet]);
      const minutes = rows.map(({ subnet: _, ...minute }): Minute => minute);
      return recall(incident, {
        changes: [...known.changes, ...changes],
        minutes: [...known.minutes, ...minutes],
      });
    },
  };
}
