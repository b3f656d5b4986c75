import { dirname } from 'node:path';
import type { LogFault, PositionStore } from '../../model/log.ts';
import { createDirectoryWatch } from './create-directory-watch.ts';
import { createFileSet } from './create-file-set.ts';
import type { OpenFiles } from './create-open-files.ts';
import { findLogFiles } from './find-log-files.ts';

/** What a follower of files is given. */
export interface FollowFilesOptions {
  /** A path or a glob. */
  readonly path: string;
  /** Under this name the position is kept. */
  readonly source: string;
  readonly positions: PositionStore;
  /** So many bytes before the place where reading begins are read, too, and passed on as `old`. */
  readonly lookBackBytes: number;
  /** Bounds the descriptors of all followers that share it; a bound of its own when absent. */
  readonly openFiles?: OpenFiles;
  /** A line, as `OnLine` takes it; `old` when it was there before reading began. */
  readonly onLine: (text: string, start: number, end: number, old: boolean) => void;
  /** After each sweep: the fault when nothing can be read, and the size of all files together. */
  readonly onState: (fault: LogFault | undefined, bytes: number) => void;
}

const POLL_MS = 1_000;

/** After so many polls a missing file is searched for less often, and at each change in its folder or the one above. */
const PATIENT_POLLS = 60;
const MISSING_POLL_MS = 10_000;

/**
 * Follows the files of a path or glob until the returned function is called: files that grow, are renamed, truncated after
 * a copy was made, taken away, or appear. Without a position it starts at the end of what is there at first, and at the
 * beginning of what appears later.
 */
export function followFiles(options: FollowFilesOptions): () => Promise<void> {
  const { path, source, positions, lookBackBytes, openFiles, onLine, onState } = options;
  const watch = createDirectoryWatch(POLL_MS);
  let stopped = false;

  const run = async () => {
    const stored = await positions.load(source);
    const set = createFileSet({
      ...(stored?.kind === 'files' && { stored: stored.files }),
      lookBackBytes,
      onLine,
      goOn: () => !stopped,
      openFiles,
    });
    const keep = () => positions.keep(source, () => ({ kind: 'files', files: set.positions() }));
    if (stored !== undefined) keep();
    let missing = 0;
    for (let isFirst = true; !stopped; isFirst = false) {
      const found = await findLogFiles(path);
      const files = found.ok ? found.files : [];
      const fault = await set.sweep(files).catch((): LogFault => ({ what: 'broken' }));
      onState(
        found.ok ? fault : found.fault,
        files.reduce((sum, { size }) => sum + size, 0),
      );
      missing = found.ok ? 0 : missing + 1;
      const above = found.ok ? [] : [dirname(dirname(path))];
      watch.use(new Set([dirname(path), ...above, ...files.map((file) => dirname(file.path))]));
      // Before that, what is old has not been read to its end.
      if (isFirst && !stopped) keep();
      await watch.changed(missing > PATIENT_POLLS ? MISSING_POLL_MS : POLL_MS);
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
