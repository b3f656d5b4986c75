import type { OnLine } from '../../model/create-line-cutter.ts';
import type { OpenFiles } from './create-open-files.ts';
import type { FollowedFile, TrackedFiles } from './create-tracked-files.ts';
import { lookInto } from './file-head.ts';
import { type FoundFile, findRelated } from './find-log-files.ts';
import { isGzip, readCopy, readerOfCopy, toPackedSize } from './read-copy.ts';
import { isOver, planRest } from './tracked-file.ts';

/** What a seeker is given. */
export interface RestSeekerOptions {
  readonly tracked: TrackedFiles;
  readonly openFiles: OpenFiles;
  readonly onLine: OnLine;
  readonly goOn: () => boolean;
  readonly now: () => number;
}

const SEEK_EVERY_MS = 1_000;

/**
 * Searches for what rotated files gained unseen, in the files that rotation leaves outside of the glob: renamed, copied, or
 * packed by gzip. Given the files of the glob, by inode.
 */
export function createRestSeeker({ tracked, openFiles, onLine, goOn, now }: RestSeekerOptions) {
  let soughtAt = Number.NEGATIVE_INFINITY;

  /** The files outside of the glob; undefined when rotation went on since those of the glob were listed. */
  const findOutside = async (
    of: FollowedFile,
    files: ReadonlyMap<string, FoundFile>,
  ): Promise<readonly FoundFile[] | undefined> => {
    const related = await findRelated(of.path);
    const isMoved = ({ inode, path: present }: FoundFile) => {
      const before = files.get(inode)?.path ?? present;
      return before !== present && !related.some((one) => one.inode === inode && one.path === before);
    };
    const listed = new Map([...files.values()].map((file) => [file.path, file.inode]));
    const isReplaced = ({ inode, path }: FoundFile) => (listed.get(path) ?? inode) !== inode;
    if (related.some((one) => isMoved(one) || isReplaced(one))) return undefined;
    return related.filter(({ inode }) => !files.has(inode) && tracked.activeAt(inode) === undefined);
  };

  /** Reads what one file outside of the glob has for a rotated one. */
  const seekIn = async (of: FollowedFile, file: FoundFile) => {
    const isPacked = isGzip(file.path);
    if ((!isPacked && file.size < of.offset) || (of.offset === 0 && file.inode !== of.inode)) return 'nothing';
    const plan = async (size: number, readAt: ReturnType<typeof readerOfCopy>) => {
      const match = await tracked.matchBy({ ...file, size }, readAt);
      const isOther = match !== undefined && match.of !== of;
      return planRest(of, file, match, isOther && (await of.tail.compare(readAt, size)) === 'all');
    };
    const planPacked = async () => {
      const readAt = readerOfCopy(file.path);
      const size = toPackedSize(await lookInto(file, (readPacked, bytes) => readPacked(bytes - 4, 4)));
      const match = await tracked.matchBy({ ...file, size }, readAt);
      // A part holds nothing new. More than 4 GiB have a size that is too small.
      if (match?.holds === 'part' && (await readAt(size, 1)).length === 0) return 'nothing';
      return plan(Number.POSITIVE_INFINITY, readAt);
    };
    const step = await openFiles.use(() =>
      isPacked ? planPacked() : lookInto(file, (readAt, size) => plan(size, readAt)),
    );
    if (step === 'read-own') {
      of.tail.path = file.path;
      await tracked.readOn(of);
    }
    if (step === 'take') {
      await openFiles.use(() => of.tail.take(readCopy(file.path, of.tail.takesFrom()), onLine, goOn));
    }
    return step;
  };

  const seekRest = async (of: FollowedFile, outside: readonly FoundFile[]) => {
    const own = outside.find(({ inode, path }) => inode === of.inode && !isGzip(path));
    // One that was only renamed is read as long as it is open.
    if (own !== undefined && (of.isOpen || (await seekIn(of, own)) === 'read-own')) return;
    const before = of.offset;
    let isFound = false;
    let isKnown = false;
    // There may be an earlier copy beside the one that has the rest.
    for (const file of outside) {
      if (file === own) continue;
      const step = await seekIn(of, file).catch(() => 'nothing');
      isFound ||= step === 'take';
      isKnown ||= step === 'known';
    }
    // As long as its file is open, it may gain more there.
    if (of.isOpen && of.offset === before) return;
    if (isFound) await tracked.finish(of, onLine);
    // Another one reads the line that has not ended.
    else if (isKnown) await tracked.finish(of, () => {});
  };

  return async (files: ReadonlyMap<string, FoundFile>) => {
    const rotated = tracked.in('rotated');
    if (rotated.length === 0 || now() - soughtAt < SEEK_EVERY_MS) return;
    soughtAt = now();
    for (const of of rotated) {
      const outside = of.state === 'rotated' ? await findOutside(of, files) : undefined;
      if (outside === undefined) continue;
      // One that is still being packed, or was moved meanwhile, is tried again.
      await seekRest(of, outside).catch(() => {});
      if (of.state === 'rotated' && isOver(of, now())) await tracked.finish(of, onLine);
    }
  };
}
