import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDirectoryWatch } from '../logs/file/create-directory-watch.ts';
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
  setKnownText(content: string | undefined): void;
  stop(): void;
}

/**
 * Calls back when the content of a file differs from the known one, and once when it can no longer be read. It
 * watches the folder, not the file, because editors and orchestrators replace the file or a link on its path.
 */
export function watchFile(path: string, onChange: () => void, pollMs = POLL_MS): FileWatch {
  const folders = new Set([dirname(path)]);
  const name = basename(path);
  // Kubernetes swaps a link called ..data beside the file.
  const watch = createDirectoryWatch(pollMs, (file) => file === null || file === name || file.startsWith('..'));
  let content: string | undefined;
  let awayPolls = 0;
  let isStopped = false;

  const compare = async (isPoll: boolean) => {
    const now = await readText(path).catch(() => undefined);
    if (isStopped) return;
    if (now !== undefined) awayPolls = 0;
    else if (isPoll) awayPolls += 1;
    // A file that is missing for a moment is not a change.
    if (now === undefined ? !isPoll || awayPolls !== AWAY_POLLS : now === content) return;
    content = now;
    onChange();
  };
  const follow = async () => {
    while (!isStopped) {
      watch.setFolders(folders);
      const hasChanged = await watch.nextChange();
      if (hasChanged) await sleep(SETTLE_MS, undefined, { ref: false });
      if (!isStopped) await compare(!hasChanged);
    }
  };
  void follow();
  return {
    setKnownText: (known) => {
      content = known;
    },
    stop: () => {
      isStopped = true;
      watch.stop();
    },
  };
}
