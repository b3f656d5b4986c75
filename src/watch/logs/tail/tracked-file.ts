import type { FoundFile } from './find-log-files.ts';

/**
 * The states of a followed log file.
 * `active`: a file of the glob holds it and is read.
 * `rotated`: its file left the glob or holds another content; its unread remainder is searched for.
 * `done`: the search is over. The file is remembered so that copies of it are not read again.
 */
export type FileState = 'active' | 'rotated' | 'done';

/**
 * A log file, identified by its content, because paths and inodes change. Everything below decides from these values
 * and reads nothing; see docs/decisions/0012-file-identity.md.
 */
export interface TrackedFile {
  readonly state: FileState;
  /** When it entered this state. All times but `writtenAt` are monotonic, in milliseconds. */
  readonly since: number;
  /** Path of the file that holds it, or held it last. */
  readonly path: string;
  readonly inode: string;
  /** Bytes read so far. */
  readonly offset: number;
  readonly isOpen: boolean;
  readonly readAt: number;
  /** Modification time of its file at the last sweep, in Unix milliseconds. */
  readonly writtenAt?: number;
}

/** How much of a tracked file another file holds: at least all that was read, or less. */
export interface Match<T extends TrackedFile = TrackedFile> {
  readonly original: T;
  readonly holds: 'all' | 'part';
}

/** A file of the glob that is not read, because another one has its lines. */
export interface Copy<T extends TrackedFile = TrackedFile> {
  readonly original: T;
  readonly holds: Match['holds'];
  readonly path: string;
  readonly size: number;
  readonly writtenAt: number;
  /** Since when it has had this size, while shorter than what was read of a file that is no longer active. */
  readonly shortSince?: number;
}

/**
 * How long the remainder of a rotated file is searched for. While its file is open, a writer may continue in it until it
 * is signalled to reopen its log. A closed one may still be copied or packed.
 */
const SEARCH_OPEN_MS = 30_000;
const SEARCH_CLOSED_MS = 60_000;

/** An active file that has not grown for this long is closed, which saves a descriptor, and opened when it grows. */
const CLOSE_IDLE_MS = 60_000;

/** A file that is rewritten in place is complete when it has not grown for this long. */
const REWRITTEN_MS = 3_000;

/** What to do with the file of an active one; `found` is absent when it left the glob. */
export type OwnFileStep = 'nothing' | 'leave' | 'close' | 'read';

export function planOwnFile(file: TrackedFile, found: FoundFile | undefined, now: number): OwnFileStep {
  if (found === undefined) return 'leave';
  // A replacement may have the same size.
  const isWritten = found.size > 0 && found.writtenAt !== (file.writtenAt ?? found.writtenAt);
  if (found.size === file.offset && !isWritten)
    return file.isOpen && now - file.readAt > CLOSE_IDLE_MS ? 'close' : 'nothing';
  return 'read';
}

/** Must the file be compared before it is read? While it was empty or closed, it may have been replaced. */
export const mayHoldOther = ({ offset, isOpen }: TrackedFile, hasSibling: boolean): boolean =>
  offset === 0 || (!isOpen && hasSibling);

const RANK: Readonly<Record<FileState, number>> = { active: 0, rotated: 1, done: 2 };

/**
 * The tracked file whose content a file holds: the one read furthest, because a shorter match adds nothing. Ties go to
 * the same inode, then to the most active state.
 */
export function chooseMatch<T extends TrackedFile>(matches: readonly Match<T>[], inode: string): Match<T> | undefined {
  const isElsewhere = ({ original }: Match<T>) => Number(original.inode !== inode);
  return matches.toSorted(
    (a, b) =>
      b.original.offset - a.original.offset ||
      isElsewhere(a) - isElsewhere(b) ||
      RANK[a.original.state] - RANK[b.original.state],
  )[0];
}

/** A file in which a rotated one could continue. */
export interface Successor<T extends TrackedFile = TrackedFile> {
  readonly file: FoundFile;
  readonly match: Match<T> | undefined;
}

/**
 * The file in which a rotated one continues: its own under another name, else the largest. A file that adds nothing is
 * no successor: the remainder may be outside the glob.
 */
export function chooseSuccessor<T extends TrackedFile>(
  original: T,
  others: readonly Successor<T>[],
): FoundFile | undefined {
  return others
    .filter(({ match }) => match?.original === original && match.holds === 'all')
    .map(({ file }) => file)
    .filter(({ inode, size }) => inode === original.inode || size > original.offset)
    .toSorted(
      (a, b) =>
        Number(b.inode === original.inode) - Number(a.inode === original.inode) ||
        b.size - a.size ||
        Number(b.path === original.path) - Number(a.path === original.path),
    )[0];
}

/** Is a copy unchanged since it was compared, and can it hold nothing new? */
export function isSameCopy(copy: Copy | undefined, file: FoundFile): boolean {
  const isUnchanged = copy?.size === file.size && copy.writtenAt === file.writtenAt;
  return isUnchanged && copy.shortSince === undefined && copy.original.state !== 'rotated';
}

/**
 * What to do with a file of the glob that is not active.
 * `begin`: it is new.
 * `follow`: a tracked file continues in it.
 * `branch`: the same, but the original is active and must be read first.
 * `ignore`: it is a copy.
 * `truncated`: it lost its end, and what is appended is new.
 */
export type OtherFileStep<T extends TrackedFile = TrackedFile> =
  | { readonly step: 'begin' | 'truncated' }
  | { readonly step: 'follow' | 'branch'; readonly original: T }
  | { readonly step: 'ignore'; readonly match: Match<T>; readonly shortSince?: number };

export function planOtherFile<T extends TrackedFile>(
  file: FoundFile,
  match: Match<T> | undefined,
  copy: Copy<T> | undefined,
  now: number,
): OtherFileStep<T> {
  if (match === undefined) return { step: 'begin' };
  const { original, holds } = match;
  if (holds === 'all' && file.size > original.offset)
    return { step: original.state === 'active' ? 'branch' : 'follow', original };
  if (holds === 'all' || original.state === 'active') return { step: 'ignore', match };
  const shortSince = copy?.size === file.size ? (copy.shortSince ?? now) : now;
  return now - shortSince >= REWRITTEN_MS ? { step: 'truncated' } : { step: 'ignore', match, shortSince };
}

/**
 * What to do with a file outside the glob, for a rotated one.
 * `read-own`: it is the same file, renamed.
 * `read-copy`: it is a copy.
 * `known`: another tracked file continues with what both hold.
 */
export type RestStep = 'nothing' | 'read-own' | 'read-copy' | 'known';

/** Is the search for the remainder over? */
export const isSearchOver = ({ since, isOpen }: TrackedFile, now: number): boolean =>
  now - since >= (isOpen ? SEARCH_OPEN_MS : SEARCH_CLOSED_MS);

/** `holdsAll`: whether a file that matched another tracked one holds all of this one too. */
export function planRest<T extends TrackedFile>(
  original: T,
  file: FoundFile,
  match: Match<T> | undefined,
  holdsAll: boolean,
): RestStep {
  const isOwn = file.inode === original.inode;
  const isRest = match?.original === original && match.holds === 'all';
  if (isOwn && (isRest || (match === undefined && original.offset === 0))) return 'read-own';
  if (isRest) return 'read-copy';
  return match !== undefined && holdsAll ? 'known' : 'nothing';
}
