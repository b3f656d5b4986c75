import type { OnLine } from '../../model/create-line-cutter.ts';
import type { FilePosition } from '../../model/log.ts';
import type { ReadAt } from './content-marks.ts';
import type { OpenFiles } from './create-open-files.ts';
import { createTail, type Tail } from './create-tail.ts';
import { HEAD_BYTES, lookInto } from './file-head.ts';
import { type FoundFile, isRelated } from './find-log-files.ts';
import { type Copy, chooseMatch, type FileState, type Match, mayHoldOther, type TrackedFile } from './tracked-file.ts';

/** A tracked file and what reads it. */
export interface FollowedFile extends TrackedFile {
  state: FileState;
  since: number;
  readAt: number;
  writtenAt?: number;
  tail: Tail;
}

/** What a file holds of a tracked one, and how long it was when that was compared. */
export type FileMatch = Match<FollowedFile>;

type SizedFile = Pick<FoundFile, 'path' | 'inode' | 'size'>;

/** What is needed to read a tracked file on. */
export interface TrackedFilesOptions {
  readonly stored: readonly FilePosition[];
  readonly onLine: OnLine;
  /** Asked after each chunk. */
  readonly goOn: () => boolean;
  readonly openFiles: OpenFiles;
  readonly now: () => number;
}

/** All known log files of one glob, and every change from one state to another. */
export interface TrackedFiles {
  /** In this state, in the order in which they came to it. */
  in(state: FileState): readonly FollowedFile[];
  /** The one that is read from the file with this inode. */
  activeAt(inode: string): FollowedFile | undefined;
  /** By inode. */
  readonly copies: Map<string, Copy<FollowedFile>>;
  /** Makes a file active that this tail reads: a new one, or a known one that continues there. */
  activate(tail: Tail, file: FoundFile, known?: FollowedFile): Promise<FollowedFile>;
  /** Searches for a file that has left the glob, and of which nothing was read. */
  seekUnread(inode: string, path: string): void;
  /** Its file is not in the glob any more; it stays open if it was. */
  leave(file: FollowedFile): void;
  /** Its file holds something else, or what another file may have gained is searched for. */
  rotate(file: FollowedFile): Promise<void>;
  /** Nothing more is searched for. `onEnd` takes a line that has not ended. */
  finish(file: FollowedFile, onEnd: OnLine): Promise<void>;
  forget(file: FollowedFile): Promise<void>;
  /** Forgets what was done long ago. */
  forgetOld(): void;
  /** Reads what its file has gained; false when that holds something else now, so that it is rotated. */
  readOn(file: FollowedFile): Promise<boolean>;
  /** The same of an active one, after a comparison when its file may hold what was read of another. */
  readActive(file: FollowedFile): Promise<boolean>;
  /** Which tracked file a file holds. Rejects when it cannot be read. */
  match(file: Pick<FoundFile, 'path' | 'inode'>): Promise<FileMatch | undefined>;
  /** The same of a file that is read in another way, as one that is packed. */
  matchBy(file: SizedFile, readAt: ReadAt): Promise<FileMatch | undefined>;
  positions(): readonly FilePosition[];
}

/** So many are known of which no file is left: one may be put back, as from a backup. */
const MAX_DONE = 16;

function toFollowed(tail: Tail, state: FileState, now: number): FollowedFile {
  return {
    tail,
    state,
    since: now,
    readAt: now,
    get path() {
      return this.tail.path;
    },
    get inode() {
      return this.tail.inode;
    },
    get offset() {
      return this.tail.offset();
    },
    get isOpen() {
      return this.tail.isOpen();
    },
  };
}

/** Those that were stored; all count as rotated until a file is found to hold them. */
export function createTrackedFiles({ stored, onLine, goOn, openFiles, now }: TrackedFilesOptions): TrackedFiles {
  const all = new Set<FollowedFile>();
  const active = new Map<string, FollowedFile>();
  const copies = new Map<string, Copy<FollowedFile>>();
  const seek = (path: string, inode: string, offset: number, known?: FilePosition) =>
    void all.add(toFollowed(createTail(path, inode, offset, known, openFiles), 'rotated', now()));
  for (const position of stored) seek(position.path, position.inode, position.offset, position);

  const to = (file: FollowedFile, state: FileState) => {
    if (active.get(file.inode) === file) active.delete(file.inode);
    if (state === 'active') active.set(file.inode, file);
    file.state = state;
    file.since = now();
    // In the order of their states' beginning.
    all.delete(file);
    all.add(file);
  };
  const rotate = async (file: FollowedFile) => {
    to(file, 'rotated');
    await file.tail.close();
  };
  const forget = async (file: FollowedFile) => {
    to(file, 'done');
    all.delete(file);
    await file.tail.close();
  };
  const readOn = async (file: FollowedFile) => {
    file.readAt = now();
    if (await file.tail.drain(onLine, undefined, goOn)) return true;
    await rotate(file);
    return false;
  };
  const mayHold = (of: FollowedFile, { inode, path }: Pick<FoundFile, 'path' | 'inode'>) =>
    of.inode === inode || (of.tail.isSure() && isRelated(of.path, path));
  const matchBy = async (file: SizedFile, readAt: ReadAt): Promise<FileMatch | undefined> => {
    const head = await readAt(0, HEAD_BYTES);
    const matches: FileMatch[] = [];
    for (const of of all) {
      if (of.offset === 0 || !mayHold(of, file) || !of.tail.beginsLike(head)) continue;
      const holds = await of.tail.compare(readAt, file.size);
      if (holds !== 'none') matches.push({ of, holds });
    }
    return chooseMatch(matches, file.inode);
  };

  /** Has another one, which was read as far at least, the same beginning? */
  const hasSibling = (file: FollowedFile) => {
    const isSibling = (of: FollowedFile) =>
      of !== file && of.offset >= file.offset && mayHold(of, file) && of.tail.beginsLike(file.tail.head());
    return [...all].some(isSibling);
  };
  const match = ({ path, inode }: Pick<FoundFile, 'path' | 'inode'>) =>
    openFiles.use(() => lookInto({ path, inode }, (readAt, size) => matchBy({ path, inode, size }, readAt)));

  return {
    in: (state) => (state === 'active' ? [...active.values()] : [...all].filter((file) => file.state === state)),
    activeAt: (inode) => active.get(inode),
    copies,
    activate: async (tail, { inode, path, writtenAt }, known) => {
      const file = known ?? toFollowed(tail, 'active', now());
      const before = file.tail;
      to(file, 'rotated');
      file.tail = tail;
      tail.path = path;
      file.readAt = now();
      file.writtenAt = writtenAt;
      to(file, 'active');
      copies.delete(inode);
      if (before !== tail) await before.close();
      return file;
    },
    seekUnread: (inode, path) => seek(path, inode, 0),
    leave: (file) => to(file, 'rotated'),
    rotate,
    finish: async (file, onEnd) => {
      to(file, 'done');
      file.tail.flush(onEnd);
      await file.tail.close();
    },
    forget,
    forgetOld: () => {
      const held = new Set([...copies.values()].map(({ of }) => of));
      const old = [...all].filter((file) => file.state === 'done' && !held.has(file));
      for (const [index, file] of old.entries())
        if (index < old.length - MAX_DONE || file.offset === 0) all.delete(file);
    },
    readOn,
    readActive: async (file) => {
      const found = mayHoldOther(file, hasSibling(file)) ? await match(file) : undefined;
      if (found === undefined || found.of === file) return readOn(file);
      await (file.offset > 0 ? rotate(file) : forget(file));
      return false;
    },
    match,
    matchBy,
    positions: () => [...all].map(({ tail }) => tail.position()),
  };
}
