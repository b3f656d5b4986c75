import type { Logger } from 'pino';
import type { WatchedMs } from '../../lib/clock.ts';
import type { OnBug } from '../../lib/internal-errors.ts';
import type { Inventory } from '../../model/target.ts';
import { readInThread } from './read-in-thread.ts';
import type { Environment } from './substitute.ts';
import { type FileWatch, watchFile } from './watch-file.ts';

/** Reloads the inventory for a reason; resolves to its errors, none if it is good. Never rejects. */
export type Reload = (why: string) => Promise<readonly string[]>;

/** The result of the last reload, and of the last successful one its time and the hash of the file. */
export interface LastReload {
  readonly successful: boolean;
  readonly successAt: WatchedMs;
  readonly hash: number;
}

/** Reloads the inventory on request, and when its file changes. */
export interface Reloader {
  readonly reload: Reload;
  last(): LastReload;
  /** Starts to watch the file; `text` is what was loaded of it. `load` loads a whole inventory, or throws and changes nothing. */
  start(text: string | undefined, load: (inventory: Inventory) => void): void;
  /** Stops the watch. A reload that is reading the file loads nothing any more. */
  stop(): void;
}

/** What a reloader needs. */
export interface ReloaderOptions {
  readonly configPath: string;
  readonly environment: Environment;
  /** Of the file as it was loaded first. */
  readonly hash: number;
  readonly log: Logger;
  readonly now: () => WatchedMs;
  readonly onBug: OnBug;
}

/**
 * Runs reloads one after another. A reload that has not started yet will read the latest file, so it serves every
 * caller that waits.
 */
export function createReloads(reloadNow: Reload): Reload {
  let last: Promise<unknown> = Promise.resolve();
  let waiting: Promise<readonly string[]> | undefined;
  return (why) => {
    if (waiting !== undefined) return waiting;
    const next = last.then(() => {
      waiting = undefined;
      return reloadNow(why);
    });
    waiting = next;
    last = next;
    return next;
  };
}

/** Creates a reloader after the first inventory was loaded. */
export function createReloader(options: ReloaderOptions): Reloader {
  const { configPath, environment, log, now, onBug } = options;
  let last: LastReload = { successful: true, successAt: now(), hash: options.hash };
  let isStopping = false;
  let file: FileWatch | undefined;
  let load: (inventory: Inventory) => void = () => {};

  const reloadNow = async (why: string): Promise<readonly string[]> => {
    try {
      const read = await readInThread(configPath, environment);
      // If the stop began meanwhile, nobody would stop what a load starts now.
      if (isStopping) return ['subnetd is stopping, so the inventory was not loaded; it is read at the next start'];
      file?.setKnownText(read.text);
      if (read.ok) {
        load(read.inventory);
        last = { successful: true, successAt: now(), hash: read.hash };
        log.info({ why }, 'the inventory was reloaded');
        return [];
      }
      last = { ...last, successful: false };
      log.error({ why, errors: read.errors }, 'the inventory is invalid; the previous one stays in force');
      return read.errors;
    } catch (error) {
      last = { ...last, successful: false };
      onBug(error, { why });
      return [`${configPath}: the inventory could not be loaded; the log says more, please report it`];
    }
  };
  const reload = createReloads(reloadNow);

  return {
    reload,
    last: () => last,
    start: (text, loadInventory) => {
      load = loadInventory;
      file = watchFile(configPath, () => void reload('change of the file'));
      file.setKnownText(text);
    },
    stop: () => {
      isStopping = true;
      file?.stop();
    },
  };
}
