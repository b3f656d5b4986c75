import type { FoundFile } from './find-log-files.ts';

/**
 * The life of a log file that is followed. `active`: a file of the glob holds it, and is read. `rotated`: its file has left
 * the glob or holds something else, and what it gained unseen is searched for. `done`: nothing more is searched for; it is
 * known, so that its copies are not read again.
 */
export type FileState = 'active' | 'rotated' | 'done';

/**
 * A log file, known by its content: the file system may keep that under other names and inodes later. Everything below
 * decides by these values and reads nothing; see docs/decisions/0012-file-identity.md.
 */
export interface TrackedFile {
  readonly state: FileState;
  /** Since when it is in this state; this and all times but `writtenAt` are monotonic, in milliseconds. */
  readonly since: number;
  /** Of the file that holds it, or held it last. */
  readonly path: string;
  readonly inode: string;
  /** How many bytes of it were read. */
  readonly offset: number;
  readonly isOpen: boolean;
  readonly readAt: number;
  /** When its file was written, as of the last sweep. */
  readonly writtenAt?: number;
}

/** What a file holds of a tracked one: at least all that was read of it, or less. */
export interface Match<T extends TrackedFile = TrackedFile> {
  readonly of: T;
  readonly holds: 'all' | 'part';
}

/** A file of the glob that is not read, because another has its lines. */
export interface Copy<T extends TrackedFile = TrackedFile> {
  readonly of: T;
  readonly holds: Match['holds'];
  readonly path: string;
  readonly size: number;
  readonly writtenAt: number;
  /** Since when it has this size and is shorter than what was read of a file that is no longer active. */
  readonly shortSince?: number;
}

/** A writer goes on with a renamed file until it is told to open the new one. */
const LEAVE_MS = 30_000;

/** What a rotated file gained is searched for this long. */
const SEEK_MS = 60_000;

/** A file that has not grown for so long is closed until it does. */
const IDLE_MS = 60_000;

/** A file that is written again in its place has reached its length when it has not grown for so long. */
const WRITTEN_MS = 3_000;

/** What to do with the file of an active one; `found` is absent when the glob has it no longer. */
export type OwnFileStep = 'nothing' | 'leave' | 'close' | 'read';

export function planOwnFile(file: TrackedFile, found: FoundFile | undefined, now: number): OwnFileStep {
  if (found === undefined) return 'leave';
  // What was written in the place of a content may be as long as that.
  const isWritten = found.size > 0 && found.writtenAt !== (file.writtenAt ?? found.writtenAt);
  if (found.size === file.offset && !isWritten) return file.isOpen && now - file.readAt > IDLE_MS ? 'close' : 'nothing';
  return 'read';
}

/** Is the file of an active one compared before it is read? While it was empty or closed it may have become another. */
export const mayHoldOther = ({ offset, isOpen }: TrackedFile, hasSibling: boolean): boolean =>
  offset === 0 || (!isOpen && hasSibling);

const RANK: Readonly<Record<FileState, number>> = { active: 0, rotated: 1, done: 2 };

/**
 * The tracked file whose content a file holds: the one that was read furthest, as what is a part of that holds nothing new.
 * Of those read equally far, the one with this inode, then the one that is still read.
 */
export function chooseMatch<T extends TrackedFile>(matches: readonly Match<T>[], inode: string): Match<T> | undefined {
  const isElsewhere = ({ of }: Match<T>) => Number(of.inode !== inode);
  return matches.toSorted(
    (a, b) => b.of.offset - a.of.offset || isElsewhere(a) - isElsewhere(b) || RANK[a.of.state] - RANK[b.of.state],
  )[0];
}

/** A file that could take the place of a rotated one. */
export interface Successor<T extends TrackedFile = TrackedFile> {
  readonly file: FoundFile;
  readonly match: Match<T> | undefined;
}

/**
 * The file in which a rotated one goes on: its own under another name, else the one that holds most. One that holds nothing
 * new is no successor: what is new may be somewhere outside of the glob.
 */
export function chooseSuccessor<T extends TrackedFile>(of: T, others: readonly Successor<T>[]): FoundFile | undefined {
  return others
    .filter(({ match }) => match?.of === of && match.holds === 'all')
    .map(({ file }) => file)
    .filter(({ inode, size }) => inode === of.inode || size > of.offset)
    .toSorted(
      (a, b) =>
        Number(b.inode === of.inode) - Number(a.inode === of.inode) ||
        b.size - a.size ||
        Number(b.path === of.path) - Number(a.path === of.path),
    )[0];
}

/** Was a copy compared when it was as it is now, and can it have nothing new? */
export function isSameCopy(copy: Copy | undefined, file: FoundFile): boolean {
  const isUnchanged = copy?.size === file.size && copy.writtenAt === file.writtenAt;
  return isUnchanged && copy.shortSince === undefined && copy.of.state !== 'rotated';
}

/**
 * What to do with a file of the glob that holds no active one. `begin`: nothing of it was read. `follow`: go on in it.
 * `branch`: the same, but its original is active, and has to be read first. `ignore`: it is a copy. `cut`: it has lost its
 * end, and what is written behind is new.
 */
export type OtherFileStep =
  | { readonly step: 'begin' | 'follow' | 'branch' | 'cut' }
  | { readonly step: 'ignore'; readonly shortSince?: number };

export function planOtherFile(
  file: FoundFile,
  match: Match | undefined,
  copy: Copy | undefined,
  now: number,
): OtherFileStep {
  if (match === undefined) return { step: 'begin' };
  const { of, holds } = match;
  if (holds === 'all' && file.size > of.offset) return { step: of.state === 'active' ? 'branch' : 'follow' };
  if (holds === 'all' || of.state === 'active') return { step: 'ignore' };
  const shortSince = copy?.size === file.size ? (copy.shortSince ?? now) : now;
  return now - shortSince >= WRITTEN_MS ? { step: 'cut' } : { step: 'ignore', shortSince };
}

/**
 * What to do, for a rotated file, with a file outside of the glob. `read-own`: it is the same under another name. `take`:
 * it is a copy. `known`: another tracked file goes on with what both hold.
 */
export type RestStep = 'nothing' | 'read-own' | 'take' | 'known';

/** Has what a rotated file gained been searched for long enough? */
export const isOver = ({ since, isOpen }: TrackedFile, now: number): boolean =>
  now - since >= (isOpen ? LEAVE_MS : SEEK_MS);

/** `holdsAll`: asked when the file belongs to another tracked one. */
export function planRest<T extends TrackedFile>(
  of: T,
  file: FoundFile,
  match: Match<T> | undefined,
  holdsAll: boolean,
): RestStep {
  const isOwn = file.inode === of.inode;
  const isRest = match?.of === of && match.holds === 'all';
  if (isOwn && (isRest || (match === undefined && of.offset === 0))) return 'read-own';
  if (isRest) return 'take';
  return match !== undefined && holdsAll ? 'known' : 'nothing';
}
