import { databaseAway, isDatabaseFailure } from '../../lib/database-failure.ts';
import type { IncidentStore, Incidents } from '../../model/incident.ts';
import { byUrgency, type IncidentMemory } from './create-incident-memory.ts';
import type { TimelineReader } from './timeline.ts';

/** An incident has at most this many notes. */
const MOST_NOTES = 200;

/** What incidents are read from. */
export interface ReadDeps {
  readonly memory: IncidentMemory;
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
export function createReadIncidents({
  memory,
  store,
  timelines,
  now,
}: ReadDeps): Pick<Incidents, 'list' | 'read' | 'addNote'> {
  return {
    list: async (query) => {
      const own = await memory.list(query);
      const stored = await unlessAway(store().then(({ list }) => list(query)));
      const known = new Set(own.map(({ id }) => id));
      const others = await Promise.all(
        (stored ?? []).map(async (one) =>
          known.has(one.id) || (await memory.read(one.id)) !== undefined ? [] : [one],
        ),
      );
      const incidents = [...own, ...others.flat()].sort(byUrgency).slice(0, query.limit);
      return { incidents, isWhole: stored !== undefined };
    },
    read: async (id) => {
      const own = await memory.read(id);
      const answer = await unlessAway(store().then(async ({ read }) => ({ record: await read(id) })));
      const stored = answer?.record;
      const incident = own?.incident ?? stored?.incident;
      // Without the database nobody knows whether there is one.
      if (incident === undefined && answer === undefined) throw databaseAway();
      if (incident === undefined) return undefined;
      const capsule = own?.capsule ?? stored?.capsule;
      const timeline =
        (await unlessAway(timelines.read(incident, stored?.timeline))) ?? timelines.recall(incident, stored?.timeline);
      const notes = stored?.notes ?? [];
      return { incident, ...(capsule && { capsule }), timeline, notes, isWhole: answer !== undefined };
    },
    addNote: async (id, note) => {
      const database = await store();
      const stored = await database.read(id);
      if (stored === undefined && (await memory.read(id)) === undefined) return 'unknown';
      if ((stored?.notes.length ?? 0) >= MOST_NOTES) return 'full';
      await database.addNote(id, { at: now(), ...note });
      return 'added';
    },
  };
}
