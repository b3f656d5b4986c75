import type { OnLine } from '../../../lib/bytes.ts';
import type { FilePosition } from '../../../model/log.ts';
import { HEAD_BYTES, type ReadAt, withOpenFile } from './content.ts';
import { createTail, type Tail } from './create-tail.ts';
import { type FoundFile, isRelated } from './find-log-files.ts';
import type { OpenFiles } from './open-files.ts';
import { type Copy, chooseMatch, type FileState, type Match, mayHoldOther, type TrackedFile } from './tracked-file.ts';

/** A tracked file and its tail. */
export interface FollowedFile extends TrackedFile {
  state: FileState;
  since: number;
  readAt: number;
  writtenAt?: number;
  tail: Tail;
}

/** How much of a tracked file a file holds. */
export type FileMatch = Match<FollowedFile>;

type SizedFile = Pick<FoundFile, 'path' | 'inode' | 'size'>;

/** Dependencies of the tracked files. */
export interface TrackedFilesOptions {
  readonly stored: readonly FilePosition[];
  readonly onLine: OnLine;
  /** Called after each chunk; false stops reading. */
  readonly shouldContinue: () => boolean;
  readonly openFiles: OpenFiles;
  readonly now: () => number;
}

/** All known log files of one glob, and every change of their states. */
export interface TrackedFiles {
  /** Files in this state, in the order in which they entered it. */
  inState(state: FileState): readonly FollowedFile[];
  /** The active file that is read from this inode. */
  activeAt(inode: string): FollowedFile | undefined;
  /** By inode. */
  readonly copies: Map<string, Copy<FollowedFile>>;
  /** Makes the file of this tail active: a new one, or a known one that continues there. */
  activate(tail: Tail, file: FoundFile, known?: FollowedFile): Promise<FollowedFile>;
  /** Searches for a file that left the glob before any of it was read. */
  seekUnread(inode: string, path: string): void;
  /** The file has left the glob. It stays open if it was. */
  leave(file: FollowedFile): void;
  /** Closes the file: it holds another content, or its remainder is searched for elsewhere. */
  rotate(file: FollowedFile): Promise<void>;
  /** Ends the search. `onEnd` receives an incomplete line. */
  finish(file: FollowedFile, onEnd: OnLine): Promise<void>;
  forget(file: FollowedFile): Promise<void>;
  /** Forgets the oldest finished files. */
  forgetOld(): void;
  /** Reads what was appended. False when the file now holds another content; then it is rotated. */
  readAppended(file: FollowedFile): Promise<boolean>;
  /** The same for an active file, comparing first when its file may hold the content of another. */
  readActive(file: FollowedFile): Promise<boolean>;
  /** The tracked file that a file holds. Rejects when it cannot be read. */
  match(file: Pick<FoundFile, 'path' | 'inode'>): Promise<FileMatch | undefined>;
  /** The same with another way of reading, as for a packed file. */
  matchBy(file: SizedFile, readAt: ReadAt): Promise<FileMatch | undefined>;
  positions(): readonly FilePosition[];
}

/** Finished files that are remembered: one may be put back, as from a backup. */
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

/** Starts with the stored files, all rotated until a file is found to hold them. */
export function createTrackedFiles({
  stored,
  onLine,
  shouldContinue,
  openFiles,
  now,
}: TrackedFilesOptions): TrackedFiles {
  const all = new Set<FollowedFile>();
  const active = new Map<string, FollowedFile>();
  const copies = new Map<string, Copy<FollowedFile>>();
  const seek = (path: string, inode: string, offset: number, known?: FilePosition) =>
    void all.add(toFollowed(createTail(path, inode, offset, known, openFiles), 'rotated', now()));
  for (const position of stored) seek(position.path, position.inode, position.offset, position);

  const setState = (file: FollowedFile, state: FileState) => {
    if (active.get(file.inode) === file) active.delete(file.inode);
    if (state === 'active') active.set(file.inode, file);
    file.state = state;
    file.since = now();
    // Keeps the order in which files entered their states.
    all.delete(file);
    all.add(file);
  };
  const rotate = async (file: FollowedFile) => {
    setState(file, 'rotated');
    await file.tail.close();
  };
  const forget = async (file: FollowedFile) => {
    setState(file, 'done');
    all.delete(file);
    await file.tail.close();
  };
  const readAppended = async (file: FollowedFile) => {
    file.readAt = now();
    if (await file.tail.drain(onLine, undefined, shouldContinue)) return true;
    await rotate(file);
    return false;
  };
  const mayHold = (original: FollowedFile, { inode, path }: Pick<FoundFile, 'path' | 'inode'>) =>
    original.inode === inode || (original.tail.isSure() && isRelated(original.path, path));
  const matchBy = async (file: SizedFile, readAt: ReadAt): Promise<FileMatch | undefined> => {
    const head = await readAt(0, HEAD_BYTES);
    const matches: FileMatch[] = [];
    for (const original of all) {
      if (original.offset === 0 || !mayHold(original, file) || !original.tail.matchesHead(head)) continue;
      const holds = await original.tail.compare(readAt, file.size);
      if (holds !== 'none') matches.push({ original, holds });
    }
    return chooseMatch(matches, file.inode);
  };

  /** Is there another file with the same head that was read at least as far? */
  const hasSibling = (file: FollowedFile) => {
    const isSibling = (original: FollowedFile) =>
      original !== file &&
      original.offset >= file.offset &&
      mayHold(original, file) &&
      original.tail.matchesHead(file.tail.head());
    return [...all].some(isSibling);
  };
  const match = ({ path, inode }: Pick<FoundFile, 'path' | 'inode'>) =>
    openFiles.use(() => withOpenFile({ path, inode }, (readAt, size) => matchBy({ path, inode, size }, readAt)));

  return {
    inState: (state) => (state === 'active' ? [...active.values()] : [...all].filter((file) => file.state === state)),
    activeAt: (inode) => active.get(inode),
    copies,
    activate: async (tail, { inode, path, writtenAt }, known) => {
      const file = known ?? toFollowed(tail, 'active', now());
      const before = file.tail;
      setState(file, 'rotated');
      file.tail = tail;
      tail.path = path;
      file.readAt = now();
      file.writtenAt = writtenAt;
      setState(file, 'active');
      copies.delete(inode);
      if (before !== tail) await before.close();
      return file;
    },
    seekUnread: (inode, path) => seek(path, inode, 0),
    leave: (file) => setState(file, 'rotated'),
    rotate,
    finish: async (file, onEnd) => {
      setState(file, 'done');
      file.tail.flush(onEnd);
      await file.tail.close();
    },
    forget,
    forgetOld: () => {
      const held = new Set([...copies.values()].map(({ original }) => original));
      const old = [...all].filter((file) => file.state === 'done' && !held.has(file));
      for (const [index, file] of old.entries())
        if (index < old.length - MAX_DONE || file.offset === 0) all.delete(file);
    },
    readAppended,
    readActive: async (file) => {
      const found = mayHoldOther(file, hasSibling(file)) ? await match(file) : undefined;
      if (found === undefined || found.original === file) return readAppended(file);
      await (file.offset > 0 ? rotate(file) : forget(file));
      return false;
    },
    match,
    matchBy,
    positions: () => [...all].map(({ tail }) => tail.position()),
  };
}
