import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.ts';
import { oneSaveAtATime, settleWithin } from '../../lib/promises.ts';
import type { FleetPart } from '../../model/fleet.ts';
import type {
  History,
  HistoryChange,
  HistoryStore,
  PaceRow,
  RecentHistory,
  Retention,
  StepHistory,
  StepsRow,
} from '../../model/history.ts';
import type { KeptTable } from '../../model/kept.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { createBoundedQueue } from './bounded-queue.ts';
import { createCheckBars } from './create-check-bars.ts';
import { createHistory, createRecentChanges, SPAN_MS } from './create-history.ts';
import { createPastReader } from './create-past-reader.ts';
import { createSteps } from './create-steps.ts';
import { createChangeFinder } from './find-changes.ts';
import { createSettingChanges } from './setting-changes.ts';
import { createUnsavedTimes } from './unsaved-times.ts';

/** The history as part of the daemon. */
export interface HistoryLink extends Pick<History, 'minutesOf' | 'historyOf'>, RecentHistory, StepHistory {
  /** How many parts of the history were dropped because the database did not take them. */
  readonly dropped: () => number;
  /** Reports every change as it is found, from now on. */
  onChanges(listener: (changes: readonly HistoryChange[]) => void): void;
  /** Adds changes that no snapshot shows. */
  note(changes: readonly HistoryChange[]): void;
  /** Records and writes once more, for a limited time. */
  stop(): Promise<void>;
}

/** The dependencies of the history. */
export interface HistoryDeps {
  /** Rejects while the database is down. */
  readonly store: () => Promise<HistoryStore>;
  /** How the settings of subnets were last seen; rejects while the database is down. Without it, they are not compared. */
  readonly settings?: () => Promise<KeptTable<string>>;
  readonly snapshot: () => Snapshot;
  readonly clock: Pick<Clock, 'now' | 'toWall'>;
  /** For how many days changes, and uptimes by day, are kept. */
  readonly keptDays: { readonly changes: number; readonly days: number };
  /** Called at the first failure to store, and at the first one after a success. */
  readonly onFailure: (error: unknown) => void;
  readonly onBug: (error: unknown) => void;
  readonly part: FleetPart;
  /** When the database is used first: a daemon that ends sooner, or has just started, need not load what it takes. */
  readonly firstAfterMs?: number;
  readonly recordEveryMs?: number;
  /** How often uptimes and the pace are written; changes are written after each record. */
  readonly saveEveryMs?: number;
}

const FIRST_AFTER_MS = 15_000;
const RECORD_EVERY_MS = 5_000;
const SAVE_EVERY_MS = 60_000;
/** Each time all of them are written anew. */
const SAVE_STEPS_EVERY_MS = 10 * 60_000;
const TRIM_EVERY_MS = 10 * 60_000;
/** If the database has not answered by then, changes are found without those from before the start. */
const FIRST_WITHIN_MS = 15_000;
const LAST_WITHIN_MS = 2_000;

/** How many changes, and minutes of subnets, may wait for the database. */
const MOST_WAITING = 10_000;
/** 10,000 targets have 20,000 rows: an hour and a day each. When an hour begins, they have 10,000 more. */
const MOST_TIMES_WAITING = 100_000;
/** How many rows are written at once: SQLite blocks everything while it writes them. */
const ROWS_AT_ONCE = 500;

const KEPT_HOURS_MS = 8 * SPAN_MS.day;
const KEPT_MINUTES_MS = 2 * SPAN_MS.day;
/** Steps older than the longest range show nothing. */
const KEPT_STEPS_MS = 31 * SPAN_MS.day;
/** Keeps the table of changes, with its indexes, at about 100 MB. */
const MOST_CHANGES = 200_000;
/** The most slices that are deleted one after the other. */
const MOST_SLICES = 1_000;

/** Things that wait for the database. */
interface Waiting<T> {
  readonly size: () => number;
  take(count: number): readonly T[];
  putBack(items: readonly T[]): void;
}

/** Writes what waits now; what could not be written waits again. */
async function drain<T>(waiting: Waiting<T>, write: (items: readonly T[]) => Promise<void>): Promise<void> {
  for (let left = waiting.size(); left > 0; ) {
    const items = waiting.take(ROWS_AT_ONCE);
    left -= Math.max(1, items.length);
    try {
      await write(items);
    } catch (error) {
      waiting.putBack(items);
      throw error;
    }
  }
}

/** Records what the snapshots show, in memory and in the database, which may be down or slow. */
export function startHistory(deps: HistoryDeps): HistoryLink {
  const { store, snapshot, clock, keptDays, part, onFailure, onBug } = deps;
  const { firstAfterMs = FIRST_AFTER_MS, recordEveryMs = RECORD_EVERY_MS, saveEveryMs = SAVE_EVERY_MS } = deps;
  const times = createUnsavedTimes(MOST_TIMES_WAITING);
  const minutes = createBoundedQueue<PaceRow>(MOST_WAITING);
  const changes = createBoundedQueue<HistoryChange>(MOST_WAITING);
  const steps = createSteps();
  const history = createHistory({
    keeps: (subnet) => isKept({ subnet }),
    times,
    addMinute: (subnet, minute) => {
      minutes.add([{ subnet, ...minute }].filter(isKept));
      steps.addMinute(subnet, minute);
    },
  });
  const finder = createChangeFinder();
  const settings = createSettingChanges((subnet) => part.keeps(subnet));
  const bars = createCheckBars();
  const wallNow = () => clock.toWall(clock.now());

  const recent = createRecentChanges();
  const past = createPastReader({ history, steps, finder, bars, recent, snapshot, wallNow, part });
  /** One of all instances that watch a subnet writes its history. */
  const isKept = ({ subnet }: { readonly subnet: string }) => part.keeps(subnet);

  const retention = (): Retention => {
    const at = wallNow();
    return {
      changes: at - keptDays.changes * SPAN_MS.day,
      most: MOST_CHANGES,
      days: at - keptDays.days * SPAN_MS.day,
      hours: at - KEPT_HOURS_MS,
      minutes: at - KEPT_MINUTES_MS,
      steps: at - KEPT_STEPS_MS,
    };
  };
  const trim = async (database: HistoryStore) => {
    for (let left = MOST_SLICES; left > 0 && (await database.trim(retention())); left -= 1) await nextTurn();
  };

  const saveSteps = async ({ putSteps }: HistoryStore) => {
    // Before the past of a subnet was read, it would be written over.
    const isOwn = ({ subnet: { name } }: Snapshot[number]) => part.keeps(name) && past.isRead(name);
    let slice: StepsRow[] = [];
    for (const row of steps.rows(snapshot().filter(isOwn))) {
      slice.push(row);
      if (slice.length < ROWS_AT_ONCE) continue;
      await putSteps(slice);
      slice = [];
    }
    await putSteps(slice);
  };

  let savedAt = clock.now();
  let stepsSavedAt = savedAt;
  let trimmedAt = Number.NEGATIVE_INFINITY;
  const saveNow = async ({ withTimes, isLast }: { readonly withTimes: boolean; readonly isLast: boolean }) => {
    const database = await store();
    await past.read(database);
    const table = await deps.settings?.();
    if (table) await settings.load(table);
    await drain(changes, database.addChanges);
    if (table) await settings.save(table);
    if (!withTimes) return;
    savedAt = clock.now();
    await drain(times, database.addTimes);
    await drain(minutes, database.addMinutes);
    if (isLast || savedAt - stepsSavedAt >= SAVE_STEPS_EVERY_MS) {
      await saveSteps(database);
      stepsSavedAt = savedAt;
    }
    if (isLast || savedAt - trimmedAt < TRIM_EVERY_MS) return;
    trimmedAt = savedAt;
    await trim(database);
  };
  /** What could not be stored is tried again with the next save. */
  const saving = oneSaveAtATime(saveNow, onFailure);

  let isStarted = false;
  let isReadyForChanges = false;
  /** The database has not answered in time: what is kept here is found without what is stored of it. */
  let isWithoutPast = false;
  const first = setTimeout(() => {
    isStarted = true;
    void settleWithin(FIRST_WITHIN_MS, saving.save({ withTimes: false, isLast: false })).then(() => {
      isReadyForChanges = true;
      isWithoutPast = past.isDue();
    });
  }, firstAfterMs);
  first.unref();
  const listeners: ((changes: readonly HistoryChange[]) => void)[] = [];
  const note = (found: readonly HistoryChange[]) => {
    recent.add(found);
    const kept = found.filter(isKept);
    changes.add(kept);
    if (kept.length > 0) for (const listener of listeners) listener(kept);
  };
  const record = () => {
    try {
      const current = snapshot();
      const watchedMs = clock.now();
      const at = clock.toWall(watchedMs);
      past.begin();
      history.record(current, at, watchedMs);
      steps.record(current, at);
      bars.record(current, at);
      const known = current.filter(({ subnet: { name } }) => past.isRead(name) || (isWithoutPast && part.keeps(name)));
      if (isReadyForChanges) note([...finder.find(known, clock.toWall, at), ...settings.find(current, at)]);
    } catch (error) {
      onBug(error);
    }
  };
  // The time that the first record counts begins now.
  record();
  const timer = setInterval(() => {
    record();
    const isDue = clock.now() - savedAt >= saveEveryMs;
    if (isStarted && (isDue || past.isDue() || changes.size() > 0))
      void saving.save({ withTimes: isDue, isLast: false });
  }, recordEveryMs);
  timer.unref();

  return {
    minutesOf: history.minutesOf,
    historyOf: (target, at) => ({ ...history.historyOf(target, at), probes: steps.probesOf(target) }),
    stepsOf: steps.stepsOf,
    targetStepsOf: steps.targetStepsOf,
    strangersOf: steps.strangersOf,
    checkHistoryOf: bars.read,
    changesOf: recent.read,
    isPastRead: (subnet) => isWithoutPast || past.isRead(subnet),
    onChanges: (listener) => void listeners.push(listener),
    note,
    dropped: () => changes.dropped() + minutes.dropped() + times.dropped(),
    stop: async () => {
      clearTimeout(first);
      clearInterval(timer);
      if (!isStarted) return;
      record();
      const last = async () => {
        await saving.idle();
        await saving.save({ withTimes: true, isLast: true });
      };
      await settleWithin(LAST_WITHIN_MS, last());
    },
  };
}
