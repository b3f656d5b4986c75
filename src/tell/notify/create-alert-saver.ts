import type { Clock } from '../../lib/clock.ts';
import { isDatabaseFailure } from '../../lib/database-failure.ts';
import type { TrackedAlert, TrackedAlertStore, TrackedAlerts } from '../alerts/tracked-alert.ts';
import { convertTrackedAlerts, isSameState, mergeTrackedAlerts } from './tracked-alerts.ts';

/** Keeps the alerts of a push in the database. */
export interface AlertSaver {
  /** Starts to save what changed, unless a save is running. */
  saveSoon(): void;
  /** Waits for the running save, and saves once more. */
  stop(): Promise<void>;
}

/** What an alert saver needs. */
export interface AlertSaverOptions {
  readonly clock: Clock;
  /** Rejects while the database is down: firing alerts are then kept in memory only. */
  readonly store: () => Promise<TrackedAlertStore>;
  /** The current alerts, in watched time. */
  readonly trackedAlerts: () => TrackedAlerts;
  /** Called once, before the first save: the alerts saved by an earlier run, in watched time. */
  readonly onLoaded: (saved: readonly TrackedAlert[]) => void;
  readonly onBug: (error: unknown) => void;
}

/** Creates an alert saver that has not read the database yet. */
export function createAlertSaver({ clock, store, trackedAlerts, onLoaded, onBug }: AlertSaverOptions): AlertSaver {
  /** The contents of the database, in wall time; undefined until it has been read. */
  let saved: TrackedAlerts | undefined;

  const save = async () => {
    try {
      const database = await store();
      if (saved === undefined) {
        saved = mergeTrackedAlerts(new Map(), await database.load());
        onLoaded([...convertTrackedAlerts(saved, clock.fromWall).values()]);
      }
      const current = convertTrackedAlerts(trackedAlerts(), clock.toWall);
      const before = saved;
      const changed = [...current].filter(([key, alert]) => {
        const old = before.get(key);
        return old === undefined || !isSameState(old, alert);
      });
      const gone = [...before.keys()].filter((key) => !current.has(key));
      if (changed.length + gone.length > 0) await database.save(new Map(changed), gone);
      saved = current;
    } catch (error) {
      // The database link reports an outage; the next judgement tries again.
      if (!isDatabaseFailure(error)) onBug(error);
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
