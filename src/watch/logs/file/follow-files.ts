import { dirname } from 'node:path';
import type { LogFault, PositionStore } from '../../../model/log.ts';
import { createDirectoryWatch } from './create-directory-watch.ts';
import { createFileSet } from './create-file-set.ts';
import { createLogFinder } from './find-log-files.ts';
import type { OpenFiles } from './open-files.ts';

/** Dependencies and settings of a follower. */
export interface FollowFilesOptions {
  /** A path or a glob. */
  readonly path: string;
  /** The key under which the position is stored. */
  readonly source: string;
  readonly positions: PositionStore;
  /** This many bytes before the start of reading are read too, and passed on as `old`. */
  readonly lookBackBytes: number;
  /** Limits the descriptors of all followers that share it; default: a limit of its own. */
  readonly openFiles?: OpenFiles;
  /** Receives a line, as `OnLine` does; `old` for lines from before reading started. */
  readonly onLine: (text: string, start: number, end: number, old: boolean) => void;
  /** Called before each sweep that has a file, with the last time at which one was written, in Unix milliseconds. */
  readonly onFound?: (writtenAt: number) => void;
  /** Called after each sweep with the fault, when nothing can be read, and the total size of the files. */
  readonly onState: (fault: LogFault | undefined, bytes: number) => void;
  /** The longest time between two sweeps; a change of a folder begins one at once. Default: a second. */
  readonly pollMs?: number;
}

/** After this many polls a missing file is polled less often; its folder and the one above are watched too. */
const PATIENT_POLLS = 60;
const MISSING_POLL_MS = 10_000;

/**
 * Follows the files of a path or glob until the returned function is called: appended, renamed, copied and truncated,
 * removed, created. Without a stored position it starts at the end of the files present at first, and at the beginning
 * of later ones.
 */
export function followFiles(options: FollowFilesOptions): () => Promise<void> {
  const { path, source, positions, lookBackBytes, openFiles, onLine, onFound, onState, pollMs = 1_000 } = options;
  const watch = createDirectoryWatch(pollMs);
  const findFiles = createLogFinder(path);
  let stopped = false;

  const run = async () => {
    const stored = await positions.load(source);
    const set = createFileSet({
      ...(stored?.kind === 'files' && { stored: stored.files }),
      lookBackBytes,
      onLine,
      shouldContinue: () => !stopped,
      openFiles,
    });
    const keep = () => positions.keep(source, () => ({ kind: 'files', files: set.positions() }));
    if (stored !== undefined) keep();
    let missing = 0;
    for (let isFirst = true; !stopped; isFirst = false) {
      const found = await findFiles();
      const files = found.ok ? found.files : [];
      if (files.length > 0) onFound?.(Math.max(...files.map(({ writtenAt }) => writtenAt)));
      const fault = await set.sweep(files).catch((): LogFault => ({ what: 'broken' }));
      onState(
        found.ok ? fault : found.fault,
        files.reduce((sum, { size }) => sum + size, 0),
      );
      missing = found.ok ? 0 : missing + 1;
      const above = found.ok ? [] : [dirname(dirname(path))];
      watch.setFolders(new Set([dirname(path), ...above, ...files.map((file) => dirname(file.path))]));
      // Not before the first sweep: what is old has not been read to its end.
      if (isFirst && !stopped) keep();
      await watch.nextChange(missing > PATIENT_POLLS ? MISSING_POLL_MS : pollMs);
    }
    await set.close();
  };
  const ended = run();
  return async () => {
    stopped = true;
    watch.stop();
    await ended;
  };
}
