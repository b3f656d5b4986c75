import { databaseAway, isDatabaseFailure } from '../../lib/database-failure.ts';
import type { Capsule, Incident, IncidentQuery, IncidentStore, Incidents } from '../../model/incident.ts';
import type { TimelineReader } from './timeline.ts';

type Place = Pick<Incident, 'startedAt' | 'id' | 'endedAt'>;

/** Open ones first, then the newest first. */
const byUrgency = (one: Place, other: Place): number =>
  Number(one.endedAt !== undefined) - Number(other.endedAt !== undefined) ||
  other.startedAt - one.startedAt ||
  Number(one.id < other.id) - Number(one.id > other.id);

/** Whether a query asks for an incident, as a database would answer it. */
function isAsked(one: Incident, query: IncidentQuery): boolean {
  const { onlyGrave, ids, subnets, before } = query;
  for (const name of ['subnet', 'problem', 'alert', 'component', 'name'] as const)
    if (query[name] !== undefined && one[name] !== query[name]) return false;
  if (ids !== undefined && !ids.includes(one.id)) return false;
  if (subnets !== undefined && !subnets.includes(one.subnet)) return false;
  if (onlyGrave && one.severity === 'info') return false;
  return before === undefined || byUrgency(before, one) < 0;
}

/** An incident has at most this many notes. */
const MOST_NOTES = 200;

/** What incidents are read from. */
export interface ReadDeps {
  /** The incidents that this process knows better than the database, in wall time. */
  readonly known: () => readonly Incident[];
  /** The capsule of an incident that the database does not have yet. */
  readonly capsuleOf: (id: string) => Capsule | undefined;
  /** Rejects while the database is down. */
  readonly store: () => Promise<IncidentStore>;
  readonly timelines: TimelineReader;
  /** Now, in wall time. */
  readonly now: () => number;
}

/** The value, or undefined while the database does not answer. */
async function unlessAway<T>(value: Promise<T>): Promise<T | undefined> {
  try {
    return await value;
  } catch (error) {
    if (!isDatabaseFailure(error)) throw error;
    return undefined;
  }
}

/** Reads incidents for pages: what this process knows is newer than what the database has. */
export function createReadIncidents(deps: ReadDeps): Pick<Incidents, 'list' | 'read' | 'addNote'> {
  const { known, capsuleOf, store, timelines, now } = deps;
  const find = (id: string) => known().find((one) => one.id === id);
  return {
    list: async (query) => {
      const stored = await unlessAway(store().then(({ list }) => list(query)));
      const own = known();
      const ids = new Set(own.map(({ id }) => id));
      const others = (stored ?? []).filter(({ id }) => !ids.has(id));
      const asked = own.filter((one) => isAsked(one, query));
      const incidents = [...asked, ...others].sort(byUrgency).slice(0, query.limit);
      return { incidents, isWhole: stored !== undefined };
    },
    read: async (id) => {
      const answer = await unlessAway(store().then(async ({ read }) => ({ record: await read(id) })));
      const stored = answer?.record;
      const incident = find(id) ?? stored?.incident;
      // Without the database nobody knows whether there is one.
      if (incident === undefined && answer === undefined) throw databaseAway();
      if (incident === undefined) return undefined;
      const capsule = capsuleOf(id) ?? stored?.capsule;
      const timeline =
        (await unlessAway(timelines.read(incident, stored?.timeline))) ?? timelines.recall(incident, stored?.timeline);
      const { notes = [], acknowledged } = stored ?? {};
      return {
        incident,
        ...(acknowledged && { acknowledged }),
        ...(capsule && { capsule }),
        timeline,
        notes,
        isWhole: answer !== undefined,
      };
    },
    addNote: async (id, note) => {
      const database = await store();
      const stored = await database.read(id);
      if (stored === undefined && find(id) === undefined) return 'unknown';
      if ((stored?.notes.length ?? 0) >= MOST_NOTES) return 'full';
      await database.addNote(id, { at: now(), ...note });
      return 'added';
    },
  };
}
