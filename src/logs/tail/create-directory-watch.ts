import { type FSWatcher, watch } from 'node:fs';

/** Waits for changes in folders, and for a pause at most: not every file system reports changes. */
export interface DirectoryWatch {
  /** Watches these folders from now on, as far as they are there. */
  use(folders: ReadonlySet<string>): void;
  /**
   * Resolves at the next change, at once if there was one since the last call, and after the pause at the latest; to
   * whether there was one.
   */
  changed(pauseMs?: number): Promise<boolean>;
  stop(): void;
}

/**
 * Watches nothing yet; `defaultMs` is the longest that a change stays unseen. `concerns` selects the files of the folders,
 * by name; null if the system gives none.
 */
export function createDirectoryWatch(
  defaultMs: number,
  concerns: (file: string | null) => boolean = () => true,
): DirectoryWatch {
  const watchers = new Map<string, FSWatcher>();
  let hasChanged = false;
  let wake: (() => void) | undefined;
  let stopped = false;

  const onChange = () => {
    hasChanged = true;
    wake?.();
  };
  const drop = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };

  return {
    use: (folders) => {
      for (const folder of watchers.keys()) if (!folders.has(folder)) drop(folder);
      for (const folder of folders) {
        if (watchers.has(folder) || stopped) continue;
        try {
          const watcher = watch(folder, { persistent: false }, (event, name) => {
            // A folder that was itself removed is watched again after the next poll.
            if (event === 'rename' && name === null) drop(folder);
            if (concerns(name)) onChange();
          });
          watcher.on('error', () => drop(folder));
          watchers.set(folder, watcher);
        } catch {
          // It is not there, or there are too many watches: polling goes on.
        }
      }
    },
    changed: async (pauseMs = defaultMs) => {
      if (!hasChanged && !stopped) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, pauseMs);
        wake = resolve;
        await promise;
        wake = undefined;
        clearTimeout(timer);
      }
      const result = hasChanged;
      hasChanged = false;
      return result;
    },
    stop: () => {
      stopped = true;
      for (const folder of [...watchers.keys()]) drop(folder);
      wake?.();
    },
  };
}
