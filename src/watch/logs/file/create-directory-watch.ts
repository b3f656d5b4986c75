import { type FSWatcher, watch } from 'node:fs';

/**
 * Waits for a change in some folders; watches none yet. Not every file system reports changes, so `defaultMs` is the longest a
 * change can go unnoticed. `concerns` selects files by name, which is null if the system gives none.
 */
export function createDirectoryWatch(defaultMs: number, concerns: (file: string | null) => boolean = () => true) {
  const watchers = new Map<string, FSWatcher>();
  let hasChanged = false;
  let wake: (() => void) | undefined;
  let stopped = false;

  const onChange = () => {
    hasChanged = true;
    wake?.();
  };
  const unwatch = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };

  return {
    /** Replaces the watched folders; missing ones are skipped. */
    setFolders: (folders: ReadonlySet<string>) => {
      for (const folder of watchers.keys()) if (!folders.has(folder)) unwatch(folder);
      for (const folder of folders) {
        if (watchers.has(folder) || stopped) continue;
        try {
          const watcher = watch(folder, { persistent: false }, (event, name) => {
            // A folder that was itself removed is watched again after the next poll.
            if (event === 'rename' && name === null) unwatch(folder);
            if (concerns(name)) onChange();
          });
          watcher.on('error', () => unwatch(folder));
          watchers.set(folder, watcher);
        } catch {
          // The folder is missing, or there are too many watches. Polling continues.
        }
      }
    },
    /**
     * Resolves at the next change, or at once if one happened since the last call, or after the pause. The value tells
     * whether there was a change.
     */
    nextChange: async (pauseMs = defaultMs): Promise<boolean> => {
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
      for (const folder of [...watchers.keys()]) unwatch(folder);
      wake?.();
    },
  };
}
