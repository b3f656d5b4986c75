import type { LogPosition, PositionStore, PositionTable } from '../model/log.ts';

/** Positions that outlive the process, as far as their table can be reached; else they go on in memory. */
export interface KeptPositions extends PositionStore {
  /** Saves what has changed, and ends. */
  stop(): Promise<void>;
}

const SAVE_EVERY_MS = 1_000;
/** Logs are read without the positions of before when the table does not tell them by then. */
const READ_WITHIN_MS = 3_000;
const LAST_SAVE_WITHIN_MS = 2_000;

const within = <T>(ms: number, done: Promise<T>, instead: T): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, ms, instead);
  });
  return Promise.race([done.catch(() => instead), late]).finally(() => clearTimeout(timer));
};

/** The table is read when a position is asked for, and written each second when one has changed. */
export function createKeptPositions(table: PositionTable): KeptPositions {
  const current = new Map<string, () => LogPosition>();
  /** What the table holds, as text. */
  const saved = new Map<string, string>();
  let stored: Promise<ReadonlyMap<string, LogPosition>> | undefined;
  let saving: Promise<void> | undefined;

  const write = async () => {
    const changed = new Map<string, LogPosition>();
    const texts = new Map<string, string>();
    for (const [source, read] of current) {
      const position = read();
      const text = JSON.stringify(position);
      if (text === saved.get(source)) continue;
      changed.set(source, position);
      texts.set(source, text);
    }
    if (changed.size === 0) return;
    await table.write(changed);
    for (const [source, text] of texts) saved.set(source, text);
  };
  /** One at a time; what fails is tried again with the next. */
  const save = (): Promise<void> => {
    saving ??= write()
      .catch(() => {})
      .finally(() => {
        saving = undefined;
      });
    return saving;
  };
  const timer = setInterval(save, SAVE_EVERY_MS);
  timer.unref();

  return {
    load: async (source) => {
      const read = current.get(source);
      if (read !== undefined) return read();
      stored ??= within(READ_WITHIN_MS, table.read(), new Map<string, LogPosition>());
      return (await stored).get(source);
    },
    keep: (source, read) => void current.set(source, read),
    stop: async () => {
      clearInterval(timer);
      const last = async () => {
        await saving;
        await save();
      };
      await within(LAST_SAVE_WITHIN_MS, last(), undefined);
    },
  };
}
