import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** After an event the file is given this long to be whole. */
const SETTLE_MS = 100;

/** Events can fail to come (network file systems, a folder that is replaced): look in any case. */
const POLL_MS = 5_000;

/** A file that is watched. */
export interface FileWatch {
  /** The content that is known by now, from wherever: only another one is a change. */
  know(content: string | undefined): void;
  stop(): void;
}

/**
 * Tells when the content of a file differs from what is known. The folder is watched, not the file: editors and
 * orchestrators replace the file or a link on the way to it.
 */
export function watchFile(path: string, onChange: () => void): FileWatch {
  let content: string | undefined;
  let settling: NodeJS.Timeout | undefined;
  let stopped = false;

  const compare = async () => {
    const now = await readFile(path, 'utf8').catch(() => undefined);
    // A file that is away for the moment is no new content.
    if (stopped || now === undefined || now === content) return;
    content = now;
    onChange();
  };
  const onEvent = () => {
    clearTimeout(settling);
    settling = setTimeout(compare, SETTLE_MS);
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
  const poll = setInterval(compare, POLL_MS);
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
