import type { Clock } from '../model/clock.ts';
import type { Incident, IncidentStore, Incidents } from '../model/incident.ts';
import { convertIncidents, mergeIncidents } from './incidents.ts';

/** Keeps the incidents of a push in the database. */
export interface IncidentSaver {
  /** Starts to save what changed, unless a save is running. */
  saveSoon(): void;
  /** Waits for the running save, and saves once more. */
  stop(): Promise<void>;
}

/** What an incident saver needs. */
export interface IncidentSaverOptions {
  readonly clock: Clock;
  /** Rejects while the database is down: firing alerts are then kept in memory only. */
  readonly store: () => Promise<IncidentStore>;
  /** The current incidents, in watched time. */
  readonly incidents: () => Incidents;
  /** Called once, before the first save: the incidents saved by an earlier run, in watched time. */
  readonly onLoaded: (saved: readonly Incident[]) => void;
}

/** Creates an incident saver that has not read the database yet. */
export function createIncidentSaver({ clock, store, incidents, onLoaded }: IncidentSaverOptions): IncidentSaver {
  /** The contents of the database, in wall time; undefined until it has been read. */
  let saved: Incidents | undefined;

  const save = async () => {
    try {
      const database = await store();
      if (saved === undefined) {
        saved = mergeIncidents(new Map(), await database.load());
        onLoaded([...convertIncidents(saved, clock.fromWall).values()]);
      }
      const current = convertIncidents(incidents(), clock.toWall);
      const before = saved;
      const changed = [...current].filter(([key, { phase, activeAt }]) => {
        const old = before.get(key);
        return old?.phase !== phase || old.activeAt !== activeAt;
      });
      const gone = [...before.keys()].filter((key) => !current.has(key));
      if (changed.length + gone.length > 0) await database.save(new Map(changed), gone);
      saved = current;
    } catch {
      // The database link reports the outage; the next judgement tries again.
    }
  };

  let saving: Promise<void> | undefined;
  return {
    saveSoon: () => {
      saving ??= save().finally(() => {
        saving = undefined;
      });
    },
    stop: async () => {
      await saving;
      await save();
    },
  };
}
