import { setTimeout as sleep } from 'node:timers/promises';
import { oneSaveAtATime, settleWithin, valueWithin } from '../../lib/promises.ts';
import type { KeptTable } from '../../model/kept.ts';
import type { LogPosition, PositionStore } from '../../model/log.ts';

/** Values that survive a restart while their table can be reached; otherwise they are kept in memory. */
export interface KeptValues<T> {
  /** The value that was kept last. Never rejects. */
  load(key: string): Promise<T | undefined>;
  /** `read` returns the current value, if there is one, and is called whenever values are saved. */
  keep(key: string, read: () => T | undefined): void;
  /** Drops the values of all other keys, in the table too. */
  keepOnly(keys: ReadonlySet<string>): void;
  /** Releases waiting readers, saves the changes once all readers have ended, and stops. */
  stop(readersEnded?: Promise<void>): Promise<void>;
}

/** What is read of a log goes on all the time, and is read twice after a restart if it was not saved. */
const SAVE_EVERY_MS = 1_000;
/** What hardly ever changes: to look for it among thousands of nodes costs more than it takes to know it again. */
export const SAVE_SELDOM_MS = 15_000;
/** If the table has not answered by then, nothing is known from before, as at the first start. */
const READ_WITHIN_MS = 10_000;
/** How often the table is read until it answers: after a restart of the machine a database may come up after subnetd. */
const READ_AGAIN_MS = 250;
const LAST_SAVE_WITHIN_MS = 2_000;

/**
 * Reads the table when a value is first needed, and writes changes every second, or every `saveEveryMs`. `open` gives another table when
 * the database was opened again, which may have lost what was written, and rejects while it is down.
 */
export function createKeptValues<T>(open: () => Promise<KeptTable<T>>, saveEveryMs = SAVE_EVERY_MS): KeptValues<T> {
  const current = new Map<string, () => T | undefined>();
  /** The contents of the table as far as they were read and written: each value as JSON. */
  const saved = new Map<string, string>();
  let isWanted = (_key: string): boolean => true;
  const { promise: stopped, resolve: releaseReaders } = Promise.withResolvers<undefined>();
  let stored: Promise<void> | undefined;
  let readFrom: KeptTable<T> | undefined;

  const readFirst = async (): Promise<KeptTable<T>> => {
    const table = await open();
    if (table === readFrom) return table;
    const values = await table.read();
    saved.clear();
    for (const [key, value] of values) saved.set(key, JSON.stringify(value));
    readFrom = table;
    return table;
  };
  const readTable = async () => {
    let isGivenUp = false;
    const read = async () => {
      while (!isGivenUp && (await readFirst().catch(() => undefined)) === undefined) await sleep(READ_AGAIN_MS);
    };
    await Promise.race([valueWithin(READ_WITHIN_MS, read(), undefined), stopped]);
    isGivenUp = true;
  };
  const write = async () => {
    // Without the rows, it is not known which of them are gone. A database that was away has them still.
    const table = await readFirst();
    const changed = new Map<string, T>();
    const texts = new Map<string, string>();
    for (const [key, read] of current) {
      const value = read();
      if (value === undefined) continue;
      const text = JSON.stringify(value);
      if (text === saved.get(key)) continue;
      changed.set(key, value);
      texts.set(key, text);
    }
    const gone = [...saved.keys()].filter((key) => !isWanted(key));
    if (changed.size === 0 && gone.length === 0) return;
    await table.write(changed, gone);
    for (const key of gone) saved.delete(key);
    for (const [key, text] of texts) saved.set(key, text);
  };
  // A failed save is repeated with the next.
  const saving = oneSaveAtATime<void>(write, () => {});
  const timer = setInterval(() => saving.save(), saveEveryMs);
  timer.unref();

  return {
    load: async (key) => {
      const read = current.get(key);
      if (read !== undefined) return read();
      stored ??= readTable();
      await stored;
      const text = saved.get(key);
      return text === undefined ? undefined : (JSON.parse(text) as T);
    },
    keep: (key, read) => {
      if (isWanted(key)) current.set(key, read);
    },
    keepOnly: (keys) => {
      isWanted = (key) => keys.has(key);
      for (const key of current.keys()) if (!isWanted(key)) current.delete(key);
    },
    stop: async (readersEnded) => {
      releaseReaders(undefined);
      await readersEnded;
      clearInterval(timer);
      const last = async () => {
        await saving.idle();
        await saving.save();
      };
      await settleWithin(LAST_SAVE_WITHIN_MS, last());
    },
  };
}

/** Positions that live as long as the process: the fallback when there is no database, and for tests. */
export function createMemoryPositions(): PositionStore {
  const positions = new Map<string, () => LogPosition>();
  return {
    load: async (source) => positions.get(source)?.(),
    keep: (source, read) => void positions.set(source, read),
  };
}
