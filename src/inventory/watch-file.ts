import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { readText } from './read-text.ts';

/** How long a file may take to be complete after an event. */
const SETTLE_MS = 100;

/** Events may be missing (network file systems, a replaced folder), so the file is also polled. */
const POLL_MS = 5_000;

/** A file that is missing in this many polls in a row is not just being replaced. */
const AWAY_POLLS = 2;

/** A watched file. */
export interface FileWatch {
  /** Sets the known content; only another content is a change. */
  know(content: string | undefined): void;
  stop(): void;
}

/**
 * Calls back when the content of a file differs from the known one, and once when it can no longer be read. It
 * watches the folder, not the file, because editors and orchestrators replace the file or a link on its path.
 */
export function watchFile(path: string, onChange: () => void, pollMs = POLL_MS): FileWatch {
  let content: string | undefined;
  let settling: NodeJS.Timeout | undefined;
  let stopped = false;

  let awayPolls = 0;
  let looking = false;

  const compare = async (isPoll: boolean) => {
    if (looking) return;
    looking = true;
    const now = await readText(path).catch(() => undefined);
    looking = false;
    if (stopped) return;
    if (now !== undefined) awayPolls = 0;
    else if (isPoll) awayPolls += 1;
    // A file that is missing for a moment is not a change.
    if (now === undefined ? !isPoll || awayPolls !== AWAY_POLLS : now === content) return;
    content = now;
    onChange();
  };
  const onEvent = () => {
    clearTimeout(settling);
    settling = setTimeout(() => void compare(false), SETTLE_MS);
  };

  let watcher: FSWatcher | undefined;
  const name = basename(path);
  try {
    watcher = watch(dirname(path), (_, file) => {
      // Kubernetes swaps a link called ..data beside the file.
      if (file === null || file === name || file.startsWith('..')) onEvent();
    });
    watcher.on('error', () => watcher?.close());
  } catch {
    // The folder is missing or cannot be watched; polling finds the changes.
  }
  const poll = setInterval(() => void compare(true), pollMs);
  return {
    know: (known) => {
      content = known;
    },
    stop: () => {
      stopped = true;
      watcher?.close();
      clearTimeout(settling);
      clearInterval(poll);
    },
  };
}
