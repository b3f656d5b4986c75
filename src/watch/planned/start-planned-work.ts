import type { Clock, WallMs } from '../../lib/clock.ts';
import type { MaintenanceWindow, PlannedWork, PlannedWorkStore, StoredWork } from '../../model/planned-work.ts';
import { compileWindows } from './compile-windows.ts';

/** The planned work that is known. */
export interface PlannedWorkLink {
  /** Replaces the windows of the inventory. */
  setWindows(windows: readonly MaintenanceWindow[]): void;
  /** What is known to be in force then, and maybe more. */
  at(wallMs: WallMs): readonly PlannedWork[];
  stop(): Promise<void>;
}

/** What the link needs. */
export interface PlannedWorkDeps {
  /** Rejects while the database is down. */
  readonly store: () => Promise<PlannedWorkStore>;
  readonly clock: Pick<Clock, 'now' | 'toWall'>;
  /** Called at the first failure to read, and at the first one after a success. */
  readonly onFailure: (error: unknown) => void;
  /** The work of the database is otherwise than before. */
  readonly onNews: (begun: readonly StoredWork[], ended: readonly StoredWork[]) => void;
  readonly readEveryMs?: number;
}

/** Whoever announces work begins it seconds later, and a problem is confirmed after more than these. */
const READ_EVERY_MS = 3_000;
const TRIM_EVERY_MS = 3_600_000;
/** Work that has ended is kept in the database for this long. */
const KEPT_MS = 24 * 3_600_000;

/** Reads the database again and again; while it is away, what is known stays. */
export function startPlannedWork(deps: PlannedWorkDeps): PlannedWorkLink {
  const { store, clock, onFailure, onNews, readEveryMs = READ_EVERY_MS } = deps;
  let windowsAt = compileWindows([]);
  let stored: readonly StoredWork[] = [];
  let isFailing = false;
  let trimmedAt = Number.NEGATIVE_INFINITY;

  const read = async () => {
    try {
      const database = await store();
      const now = clock.now();
      const at = clock.toWall(now);
      const found = await database.list(at);
      const isIn = (works: readonly StoredWork[]) => new Set(works.map(({ id }) => id));
      const [before, after] = [isIn(stored), isIn(found)];
      const begun = found.filter(({ id }) => !before.has(id));
      const ended = stored.filter(({ id, until }) => !after.has(id) && until > at);
      stored = found;
      if (begun.length + ended.length > 0) onNews(begun, ended);
      isFailing = false;
      if (now - trimmedAt < TRIM_EVERY_MS) return;
      await database.trim(at - KEPT_MS);
      trimmedAt = now;
    } catch (error) {
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
  };
  let reading: Promise<void> | undefined;
  const readNow = () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
  };
  const timer = setInterval(readNow, readEveryMs);
  timer.unref();
  readNow();

  return {
    setWindows: (windows) => {
      windowsAt = compileWindows(windows);
    },
    at: (wallMs) => [...windowsAt(wallMs), ...stored],
    stop: async () => {
      clearInterval(timer);
      await reading;
    },
  };
}
