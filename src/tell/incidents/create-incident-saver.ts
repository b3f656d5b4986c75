import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.ts';
import { DAY_MS, MINUTE_MS } from '../../lib/duration.ts';
import { oneSaveAtATime } from '../../lib/promises.ts';
import { inSlices } from '../../lib/values.ts';
import type { Capsule, Incident, IncidentStore } from '../../model/incident.ts';
import type { FleetIncidents, StoredIncidents } from './create-fleet-incidents.ts';
import { convertIncident } from './stored-incidents.ts';
import { AROUND_MS, type TimelineReader } from './timeline.ts';

/** An incident that is to be written. */
export interface ChangedIncident {
  readonly incident: Incident;
  /** Whether more than its evidence has changed. */
  readonly isNews: boolean;
}

/** The dependencies of the saver. */
export interface SaverDeps {
  /** Rejects while the database is down. */
  readonly store: () => Promise<IncidentStore>;
  /** Called with the incidents that the database has of some subnets, before anything of them is written. */
  readonly onLoaded: (stored: StoredIncidents) => void;
  /** What others have stored, and which subnets this instance writes of. */
  readonly fleet: FleetIncidents;
  readonly timelines: TimelineReader;
  readonly clock: Pick<Clock, 'now' | 'toWall' | 'fromWall'>;
  readonly keptDays: number;
  /** Called at the first failure to store, and at the first one after a success. */
  readonly onFailure: (error: unknown) => void;
}

const TRIM_EVERY_MS = 10 * MINUTE_MS;
/** An incident that lasts for longer has the first part of its timeline stored. */
const LONG_MS = 2 * 60 * MINUTE_MS;

/** How many are written at once: SQLite blocks everything while it writes them. */
const ROWS_AT_ONCE = 100;
/** At most this many are kept in the database. At most as many wait for it, or as many as are open. */
const MOST_KEPT = 10_000;
/** At most this many capsules are kept there, about 20 MB, and this many timelines. */
const MOST_PARTS_KEPT = 1_000;

/** Forgets the oldest that have ended when there are more than `most`. */
function cut(known: Map<string, { readonly incident: Incident }>, most: number): void {
  for (const [id, { incident }] of known) {
    if (known.size <= most) return;
    if (incident.endedAt !== undefined) known.delete(id);
  }
}

/** Writes incidents to the database, which may be down or slow. Times are watched time. Creates a saver that has not read the database yet. */
export function createIncidentSaver(deps: SaverDeps) {
  const { store, onLoaded, timelines, clock, keptDays, onFailure, fleet } = deps;
  const isWritten = ({ subnet }: Incident) => fleet.isWritten(subnet);
  const toWall = (incident: Incident) => convertIncident(incident, clock.toWall);
  const unsaved = new Map<string, ChangedIncident>();
  const capsules = new Map<string, Capsule>();
  /** Those whose timeline is not stored, or only its first part. */
  const dueTimelines = new Map<string, { readonly incident: Incident; isStartStored: boolean }>();
  const addTimeline = (incident: Incident) =>
    dueTimelines.set(incident.id, { incident, isStartStored: dueTimelines.get(incident.id)?.isStartStored === true });

  const saveIncidents = async (database: IncidentStore, withWords: boolean) => {
    const due = [...unsaved].filter(([, one]) => isWritten(one.incident) && (withWords || one.isNews));
    for (const slice of inSlices(due, ROWS_AT_ONCE)) {
      await database.save(slice.map(([, { incident }]) => toWall(incident)));
      for (const [id, one] of slice) if (unsaved.get(id) === one) unsaved.delete(id);
      await nextTurn();
    }
  };

  const saveCapsules = async (database: IncidentStore) => {
    for (const [id, capsule] of capsules) {
      await database.saveCapsule(id, capsule);
      if (capsules.get(id) === capsule) capsules.delete(id);
    }
  };

  const saveTimelines = async (database: IncidentStore) => {
    const now = clock.now();
    for (const [id, one] of dueTimelines) {
      const { incident } = one;
      if (!isWritten(incident)) continue;
      const { endedAt, startedAt } = incident;
      // The last minute of it is counted after its end.
      const isOver = endedAt !== undefined && now - endedAt >= AROUND_MS + MINUTE_MS;
      const isLong = now - startedAt >= LONG_MS && !one.isStartStored;
      if (!isOver && !isLong) continue;
      const known = (await database.read(id))?.timeline;
      await database.saveTimeline(id, await timelines.read(toWall(incident), known));
      const current = dueTimelines.get(id);
      if (current !== undefined) current.isStartStored = true;
      if (isOver && current === one) dueTimelines.delete(id);
    }
  };

  let trimmedAt = Number.NEGATIVE_INFINITY;
  const trim = async (database: IncidentStore) => {
    if (clock.now() - trimmedAt < TRIM_EVERY_MS) return;
    trimmedAt = clock.now();
    const endedBefore = clock.toWall(trimmedAt) - keptDays * DAY_MS;
    const keep = { endedBefore, most: MOST_KEPT, mostParts: MOST_PARTS_KEPT };
    for (let left = MOST_KEPT; left > 0 && (await database.trim(keep)); left -= 1) await nextTurn();
  };

  const take = ({ incidents, late }: StoredIncidents) => {
    const restored = incidents.map((one) => convertIncident(one, clock.fromWall));
    for (const one of restored) if (one.endedAt === undefined || clock.now() - one.endedAt < DAY_MS) addTimeline(one);
    onLoaded({ incidents: restored, late });
  };

  let savedAt = clock.now();
  const saveNow = async (isLast: boolean) => {
    const database = await store();
    const stored = await fleet.read(database);
    if (stored !== undefined) take(stored);
    const withWords = isLast || clock.now() - savedAt >= MINUTE_MS;
    if (withWords) savedAt = clock.now();
    await saveIncidents(database, withWords);
    await saveCapsules(database);
    if (isLast) return;
    await saveTimelines(database);
    await trim(database);
  };

  const saving = oneSaveAtATime(saveNow, onFailure);

  return {
    /** Takes incidents that are new or have changed. */
    add: (changed: readonly ChangedIncident[]): void => {
      for (const { incident, isNews } of changed) {
        const { id } = incident;
        unsaved.set(id, { incident, isNews: isNews || unsaved.get(id)?.isNews === true });
        addTimeline(incident);
      }
      cut(unsaved, MOST_KEPT);
      cut(dueTimelines, MOST_PARTS_KEPT);
    },
    addCapsule: (id: string, capsule: Capsule): void => void capsules.set(id, capsule),
    /** One that waits to be written. */
    capsuleOf: (id: string): Capsule | undefined => capsules.get(id),
    /** How many capsules wait to be written. */
    waitingCapsules: (): number => capsules.size,
    /** Forgets what waits to be written of all other incidents. */
    keepOnly: (isKept: (incident: Incident) => boolean): void => {
      for (const [id, { incident }] of unsaved) if (!isKept(incident)) unsaved.delete(id);
      for (const [id, { incident }] of dueTimelines)
        if (!isKept(incident)) for (const known of [dueTimelines, capsules]) known.delete(id);
    },
    /** Starts to write, unless that is running; never rejects. The last time, all is written but timelines. */
    save: async (isLast = false): Promise<void> => {
      if (isLast) await saving.idle();
      await saving.save(isLast);
    },
  };
}
