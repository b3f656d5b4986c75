import { setTimeout as sleep } from 'node:timers/promises';
import { oneSaveAtATime, settleWithin, valueWithin } from '../../lib/promises.ts';
import type { LogPosition, PositionStore, PositionTable } from '../../model/log.ts';

/** Positions that survive a restart while their table can be reached; otherwise they are kept in memory. */
export interface KeptPositions extends PositionStore {
  /** Drops the positions of all other sources, in the table too. */
  keepOnly(sources: ReadonlySet<string>): void;
  /** Releases waiting readers, saves the changes once all readers have ended, and stops. */
  stop(readersEnded?: Promise<void>): Promise<void>;
}

const SAVE_EVERY_MS = 1_000;
/** If the table has not answered by then, logs are read without their saved positions. */
const READ_WITHIN_MS = 10_000;
/** How often the table is read until it answers: after a restart of the machine a database may come up after subnetd. */
const READ_AGAIN_MS = 250;
const LAST_SAVE_WITHIN_MS = 2_000;

/**
 * Reads the table when a position is first needed, and writes changes every second. `open` gives another table when the database was opened
 * again, which may have lost what was written, and rejects while it is down.
 */
export function createKeptPositions(open: () => Promise<PositionTable>): KeptPositions {
  const current = new Map<string, () => LogPosition>();
  /** The contents of the table as far as they were read and written: each position as JSON. */
  const saved = new Map<string, string>();
  let isWanted = (_source: string): boolean => true;
  const { promise: stopped, resolve: releaseReaders } = Promise.withResolvers<undefined>();
  let stored: Promise<void> | undefined;
  let readFrom: PositionTable | undefined;

  const readFirst = async (): Promise<PositionTable> => {
    const table = await open();
    if (table === readFrom) return table;
    const positions = await table.read();
    saved.clear();
    for (const [source, position] of positions) saved.set(source, JSON.stringify(position));
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
    // Without the rows, it is not known which of them belong to sources that are gone. A database that was away has them still.
    const table = await readFirst();
    const changed = new Map<string, LogPosition>();
    const texts = new Map<string, string>();
    for (const [source, read] of current) {
      const position = read();
      const text = JSON.stringify(position);
      if (text === saved.get(source)) continue;
      changed.set(source, position);
      texts.set(source, text);
    }
    const gone = [...saved.keys()].filter((source) => !isWanted(source));
    if (changed.size === 0 && gone.length === 0) return;
    await table.write(changed, gone);
    for (const source of gone) saved.delete(source);
    for (const [source, text] of texts) saved.set(source, text);
  };
  // A failed save is repeated with the next.
  const saving = oneSaveAtATime<void>(write, () => {});
  const timer = setInterval(() => saving.save(), SAVE_EVERY_MS);
  timer.unref();

  return {
    load: async (source) => {
      const read = current.get(source);
      if (read !== undefined) return read();
      stored ??= readTable();
      await stored;
      const text = saved.get(source);
      return text === undefined ? undefined : (JSON.parse(text) as LogPosition);
    },
    keep: (source, read) => {
      if (isWanted(source)) current.set(source, read);
    },
    keepOnly: (sources) => {
      isWanted = (source) => sources.has(source);
      for (const source of current.keys()) if (!isWanted(source)) current.delete(source);
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
