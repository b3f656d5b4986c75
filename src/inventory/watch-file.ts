import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** After an event the file is given this long to be whole. */
const SETTLE_MS = 100;

/** Events can fail to come (network file systems, a folder that is replaced): look in any case. */
const POLL_MS = 5_000;

/**
 * Tells when the content of a file differs from what it was, until the returned function is called. The folder is watched,
 * not the file: editors and orchestrators replace the file or a link on the way to it.
 */
export function watchFile(path: string, initial: string | undefined, onChange: () => void): () => void {
  let content = initial;
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
  return () => {
    stopped = true;
    watcher?.close();
    clearTimeout(settling);
    clearInterval(poll);
  };
}
