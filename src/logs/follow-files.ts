import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FilePosition, LogFault, PositionStore } from '../model/log.ts';
import { createDirectoryWatch } from './create-directory-watch.ts';
import { beginsAs, createTail, type Tail } from './create-tail.ts';
import { type FoundFile, findFile, findLogFiles } from './find-log-files.ts';

/** What a follower of files is given. */
export interface FollowFilesOptions {
  /** A path or a glob. */
  readonly path: string;
  /** Under this name the position is kept. */
  readonly source: string;
  readonly positions: PositionStore;
  /** What stands before the start is read up to so many bytes back, and told as `old`. */
  readonly lookBackBytes: number;
  /** A line as Latin-1; `old` when it was there before reading began. */
  readonly onLine: (line: string, old: boolean) => void;
  /** After each sweep: the fault when nothing can be read, and the size of all files together. */
  readonly onState: (fault: LogFault | undefined, bytes: number) => void;
}

const POLL_MS = 1_000;
const SAVE_EVERY_MS = 1_000;

const MAX_LIVES = 8;

/** A writer goes on with a renamed file until it is told to open the new one. */
const LEAVE_MS = 30_000;

/** The files beside one that may be what became of it: rotation keeps the beginning of the name. */
async function findSiblings(path: string): Promise<readonly FoundFile[]> {
  const folder = dirname(path);
  const stem = basename(path).replace(/\.[^.]*$/, '');
  const names = await readdir(folder).catch(() => []);
  const paths = names.filter((name) => name.startsWith(stem)).map((name) => join(folder, name));
  const found = await Promise.all(paths.filter((other) => other !== path).map(findFile));
  return found.filter((file) => 'inode' in file);
}

/**
 * Follows the files of a path or glob until the returned function is called: files that grow, are renamed, truncated after
 * a copy was made, taken away, or appear. Without a position it starts at the end of what is there at first, and at the
 * beginning of what appears later.
 */
export function followFiles(options: FollowFilesOptions): () => Promise<void> {
  const { path, source, positions, lookBackBytes, onLine, onState } = options;
  const tails = new Map<string, Tail>();
  /** Files that have left their path, and until when their writers may go on with them. */
  const leaving = new Map<Tail, number>();
  /** Copies of files that were read themselves, by inode, with the sweep that found them. */
  const copies = new Map<string, number>();
  /** What truncated files were, so that a copy which shows up later is known and only its rest is read. */
  const pastLives: (FilePosition & { readonly path: string })[] = [];
  const stored = positions.load(source);
  const known = new Map<string, FilePosition>(stored?.kind === 'files' ? Object.entries(stored.files) : []);
  const isNew = stored?.kind !== 'files';
  let sweeps = 0;
  let stopped = false;
  let savedAt = 0;
  const tell = (line: string) => onLine(line, false);

  const finish = async (tail: Tail) => {
    await tail.drain(tell).catch(() => {});
    tail.flush(tell);
    await tail.close();
  };

  /** Reads what is left of a file that has gone, from the sibling that holds it now. */
  const readRest = async (gone: string, { offset, ...position }: FilePosition, isIt: (file: FoundFile) => boolean) => {
    for (const file of await findSiblings(gone)) {
      if (!isIt(file) || file.size < offset || !(await beginsAs(file.path, position))) continue;
      copies.set(file.inode, sweeps);
      await createTail(file.path, file.inode, offset).then(finish, () => {});
      return;
    }
  };

  const startFirst = async ({ path: file, inode, size }: FoundFile): Promise<Tail> => {
    const tail = await createTail(file, inode, Math.max(size - lookBackBytes, 0));
    await tail.drain((line) => onLine(line, true), size);
    return tail;
  };

  const begin = async (file: FoundFile, isFirst: boolean): Promise<Tail> => {
    const position = known.get(file.path);
    known.delete(file.path);
    if (position !== undefined) {
      const same = position.inode === file.inode && file.size >= position.offset;
      if (same && (await beginsAs(file.path, position))) return createTail(file.path, file.inode, position.offset);
      const renamed = position.inode !== file.inode;
      await readRest(file.path, position, ({ inode }) => (renamed ? inode === position.inode : inode !== file.inode));
      return createTail(file.path, file.inode, 0);
    }
    return isFirst && isNew ? startFirst(file) : createTail(file.path, file.inode, 0);
  };

  /** A file that appears may be a copy of one that is read, made before that is truncated; of a late one the rest is read. */
  const takeCopy = async (file: FoundFile): Promise<boolean> => {
    const lives = await Promise.all([...tails].map(async ([path, tail]) => ({ ...(await tail.position()), path })));
    for (const life of [...pastLives, ...lives]) {
      if (!file.path.startsWith(life.path) || life.headBytes === 0 || !(await beginsAs(file.path, life))) continue;
      copies.set(file.inode, sweeps);
      if (pastLives.includes(life as (typeof pastLives)[number]) && file.size > life.offset)
        await createTail(file.path, file.inode, life.offset).then(finish, () => {});
      return true;
    }
    return false;
  };

  const sweepFile = async (file: FoundFile, isFirst: boolean) => {
    if (copies.has(file.inode)) return;
    let tail = tails.get(file.path);
    if (tail === undefined) {
      if (!isFirst && (await takeCopy(file))) return;
      tail = await begin(file, isFirst);
      tails.set(file.path, tail);
    } else if (file.size !== tail.offset() || isFirst) {
      if (await tail.isOther(file.size)) {
        const position = await tail.position();
        await readRest(file.path, position, ({ inode }) => inode !== file.inode);
        pastLives.push({ ...position, path: file.path });
        if (pastLives.length > MAX_LIVES) pastLives.shift();
        await tail.close();
        tail = await createTail(file.path, file.inode, 0);
        tails.set(file.path, tail);
      }
    } else return;
    await tail.drain(tell);
  };

  /** What was renamed within the glob goes on under its new path; what has left it is read to its end. */
  const sweepGone = async (files: readonly FoundFile[]) => {
    for (const [old, tail] of [...tails]) {
      if (files.some((file) => file.path === old && file.inode === tail.inode)) continue;
      tails.delete(old);
      const moved = files.find(({ inode }) => inode === tail.inode);
      if (moved === undefined) leaving.set(tail, performance.now() + LEAVE_MS);
      else {
        const inTheWay = tails.get(moved.path);
        if (inTheWay !== undefined && inTheWay.inode !== moved.inode)
          leaving.set(inTheWay, performance.now() + LEAVE_MS);
        tails.set(moved.path, tail);
      }
    }
    for (const [tail, until] of leaving) {
      if (performance.now() < until) await tail.drain(tell).catch(() => {});
      else {
        leaving.delete(tail);
        await finish(tail);
      }
    }
    for (const [inode, sweep] of copies)
      if (sweep < sweeps - 1 && !files.some((file) => file.inode === inode)) copies.delete(inode);
  };

  const save = async (now: number) => {
    savedAt = now;
    const entries = await Promise.all([...tails].map(async ([file, tail]) => [file, await tail.position()] as const));
    positions.save(source, { kind: 'files', files: Object.fromEntries(entries) });
  };

  const sweep = async (isFirst: boolean) => {
    sweeps++;
    const found = await findLogFiles(path);
    const files = found.ok ? found.files : [];
    // In their own order: a renamed one must be known under its new name before its successor is looked at.
    await sweepGone(files);
    let fault: LogFault | undefined = found.ok ? undefined : found.fault;
    for (const file of files) {
      if (stopped) return;
      await sweepFile(file, isFirst).catch((error: NodeJS.ErrnoException) => {
        fault = { what: error.code === 'EACCES' ? 'denied' : 'broken' };
      });
    }
    const readable = tails.size > 0;
    onState(
      readable ? undefined : (fault ?? { what: 'missing' }),
      files.reduce((sum, { size }) => sum + size, 0),
    );
    watch.use(new Set([dirname(path), ...files.map((file) => dirname(file.path))]));
    if (performance.now() - savedAt > SAVE_EVERY_MS) await save(performance.now());
  };

  const watch = createDirectoryWatch(POLL_MS);
  const run = async () => {
    for (let isFirst = true; !stopped; isFirst = false) {
      await sweep(isFirst).catch(() => {});
      await watch.changed();
    }
  };
  const ended = run();
  return async () => {
    stopped = true;
    watch.stop();
    await ended;
    for (const tail of leaving.keys()) await finish(tail);
    await save(performance.now());
    for (const tail of tails.values()) await tail.close();
  };
}
