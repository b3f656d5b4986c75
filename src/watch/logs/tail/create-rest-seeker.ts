import type { OnLine } from '../../../lib/bytes.ts';
import { withOpenFile } from './content.ts';
import type { FollowedFile, TrackedFiles } from './create-tracked-files.ts';
import { type FoundFile, findRelated } from './find-log-files.ts';
import type { OpenFiles } from './open-files.ts';
import { isGzip, readCopy, readerOfCopy, toPackedSize } from './read-copy.ts';
import { isSearchOver, planRest } from './tracked-file.ts';

/** Dependencies of the search. */
export interface RestSeekerOptions {
  readonly tracked: TrackedFiles;
  readonly openFiles: OpenFiles;
  readonly onLine: OnLine;
  readonly shouldContinue: () => boolean;
  readonly now: () => number;
}

const SEEK_EVERY_MS = 1_000;

/**
 * Searches for the unread remainder of rotated files in files outside the glob: renamed, copied or packed by gzip.
 * Takes the files of the glob, by inode.
 */
export function createRestSeeker({ tracked, openFiles, onLine, shouldContinue, now }: RestSeekerOptions) {
  let searchedAt = Number.NEGATIVE_INFINITY;

  /** The related files outside the glob. Undefined when rotation continued after the glob was listed. */
  const findOutside = async (
    original: FollowedFile,
    files: ReadonlyMap<string, FoundFile>,
  ): Promise<readonly FoundFile[] | undefined> => {
    const related = await findRelated(original.path);
    const isMoved = ({ inode, path: present }: FoundFile) => {
      const before = files.get(inode)?.path ?? present;
      return before !== present && !related.some((one) => one.inode === inode && one.path === before);
    };
    const listed = new Map([...files.values()].map((file) => [file.path, file.inode]));
    const isReplaced = ({ inode, path }: FoundFile) => (listed.get(path) ?? inode) !== inode;
    if (related.some((one) => isMoved(one) || isReplaced(one))) return undefined;
    // A packed file is a new one. Its inode says nothing, as it may be that of a log that is gone.
    const known = related.map((file) => (isGzip(file.path) ? { ...file, inode: '' } : file));
    return known.filter(({ inode }) => !files.has(inode) && tracked.activeAt(inode) === undefined);
  };

  /** Reads what one file outside the glob adds to a rotated one. */
  const searchFile = async (original: FollowedFile, file: FoundFile) => {
    const isPacked = isGzip(file.path);
    if ((!isPacked && file.size < original.offset) || (original.offset === 0 && file.inode !== original.inode))
      return 'nothing';
    const plan = async (size: number, readAt: ReturnType<typeof readerOfCopy>) => {
      const match = await tracked.matchBy({ ...file, size }, readAt);
      const isOther = match !== undefined && match.original !== original;
      return planRest(original, file, match, isOther && (await original.tail.compare(readAt, size)) === 'all');
    };
    const planPacked = async () => {
      const readAt = readerOfCopy(file.path);
      const size = toPackedSize(await withOpenFile(file, (readPacked, bytes) => readPacked(bytes - 4, 4)));
      const match = await tracked.matchBy({ ...file, size }, readAt);
      // A part adds nothing. The recorded size of more than 4 GiB is too small.
      if (match?.holds === 'part' && (await readAt(size, 1)).length === 0) return 'nothing';
      return plan(Number.POSITIVE_INFINITY, readAt);
    };
    const step = await openFiles.use(() =>
      isPacked ? planPacked() : withOpenFile(file, (readAt, size) => plan(size, readAt)),
    );
    if (step === 'read-own') {
      original.tail.path = file.path;
      await tracked.readAppended(original);
    }
    if (step === 'read-copy') {
      await openFiles.use(() =>
        original.tail.readRest(readCopy(file.path, original.tail.restOffset()), onLine, shouldContinue),
      );
    }
    return step;
  };

  const searchOutside = async (original: FollowedFile, outside: readonly FoundFile[]) => {
    const own = outside.find(({ inode }) => inode === original.inode);
    // A file that was only renamed is read as long as it is open.
    if (own !== undefined && (original.isOpen || (await searchFile(original, own)) === 'read-own')) return;
    const before = original.offset;
    let isFound = false;
    let isKnown = false;
    // An earlier copy may be beside the one that has the remainder.
    for (const file of outside) {
      if (file === own) continue;
      const step = await searchFile(original, file).catch(() => 'nothing');
      isFound ||= step === 'read-copy';
      isKnown ||= step === 'known';
    }
    // As long as its file is open, more may be written to it.
    if (original.isOpen && original.offset === before) return;
    if (isFound) await tracked.finish(original, onLine);
    // Another tracked file reads the incomplete line.
    else if (isKnown) await tracked.finish(original, () => {});
  };

  return async (files: ReadonlyMap<string, FoundFile>) => {
    const rotated = tracked.inState('rotated');
    if (rotated.length === 0 || now() - searchedAt < SEEK_EVERY_MS) return;
    searchedAt = now();
    for (const original of rotated) {
      const outside = original.state === 'rotated' ? await findOutside(original, files) : undefined;
      if (outside === undefined) continue;
      // A file that is still being packed, or was just moved, is tried again.
      await searchOutside(original, outside).catch(() => {});
      if (original.state === 'rotated' && isSearchOver(original, now())) await tracked.finish(original, onLine);
    }
  };
}
