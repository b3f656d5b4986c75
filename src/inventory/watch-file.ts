import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { readText } from './read-text.ts';

/** After an event the file is given this long to be whole. */
const SETTLE_MS = 100;

/** Events can fail to come (network file systems, a folder that is replaced): look in any case. */
const POLL_MS = 5_000;

/** A file that is away at so many polls in a row is not just being replaced. */
const AWAY_POLLS = 2;

/** A file that is watched. */
export interface FileWatch {
  /** The content that is known by now, from wherever: only another one is a change. */
  know(content: string | undefined): void;
  stop(): void;
}

/**
 * Tells when the content of a file differs from what is known, and once when it cannot be read any more. The folder is watched, not the file: editors and
 * orchestrators replace the file or a link on the way to it.
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
    // A file that is away for the moment is no new content.
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
    // The folder is not there or cannot be watched: the poll finds what changes.
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
