import { databaseFailure } from '../model/database-failure.ts';
import type { OpenStore } from './create-store.ts';
import type { Engine } from './engine.ts';
import type { DatabaseAddress } from './parse-database-url.ts';

/** A database that may be away and come back. */
export interface DatabaseLink {
  /** Rejects with a `DatabaseFailure` while the database is away; waits for the first attempt to open it. */
  open(): Promise<OpenStore>;
  isUp(): boolean;
  stop(): Promise<void>;
}

/** What the link needs of the program around it. */
export interface LinkDeps {
  readonly address: DatabaseAddress;
  readonly onUp: () => void;
  /** Called when the database goes away, not at each failure. */
  readonly onDown: (error: unknown) => void;
}

const LOOK_EVERY_MS = 2_000;
const LOOK_AGAIN_MS = 500;
const FIRST_WITHIN_MS = 5_000;
/** A server that hangs does not answer a goodbye either. */
const CLOSE_WITHIN_MS = 1_000;

/** Opens the database in the background, and again whenever it has gone. */
export function createDatabaseLink({ address, onUp, onDown }: LinkDeps): DatabaseLink {
  let engine: Engine | undefined;
  let store: Promise<OpenStore> | undefined;
  let up: boolean | undefined;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const drop = async () => {
    const gone = engine;
    engine = undefined;
    store = undefined;
    if (gone === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_WITHIN_MS);
    });
    await Promise.race([gone.close().catch(() => {}), late]).finally(() => clearTimeout(timer));
  };
  const look = async () => {
    try {
      if (engine === undefined) {
        const { openDatabase } = await import('./open-database.ts');
        engine = await openDatabase(address);
      } else await engine.ping();
      if (up !== true && !stopped) onUp();
      up = true;
    } catch (error) {
      await drop();
      if (up !== false && !stopped) onDown(error);
      up = false;
    }
  };
  let looking: Promise<void> | undefined;
  /** One look at a time; the next comes by itself. */
  const lookNow = (): Promise<void> => {
    if (looking !== undefined) return looking;
    clearTimeout(timer);
    looking = look().finally(() => {
      looking = undefined;
      if (stopped) return;
      timer = setTimeout(lookNow, up ? LOOK_EVERY_MS : LOOK_AGAIN_MS);
      timer.unref();
    });
    return looking;
  };
  const first = lookNow();

  return {
    open: async () => {
      if (engine !== undefined && store !== undefined) return store;
      if (up === undefined) {
        const late = new Promise((resolve) => setTimeout(resolve, FIRST_WITHIN_MS).unref());
        await Promise.race([first, late]);
      }
      const current = engine;
      if (current === undefined) throw databaseFailure(new Error('the database is away'));
      // Kysely comes with the first request that needs it.
      store ??= import('./create-store.ts').then(({ createStore }) => createStore(current, () => void lookNow()));
      return store;
    },
    isUp: () => up === true,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await looking;
      await drop();
    },
  };
}
