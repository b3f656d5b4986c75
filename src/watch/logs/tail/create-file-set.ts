import type { OnLine } from '../../../lib/bytes.ts';
import type { FilePosition, LogFault } from '../../../model/log.ts';
import { withOpenFile } from './content.ts';
import { createRestSeeker } from './create-rest-seeker.ts';
import { createTail, type Tail } from './create-tail.ts';
import { createTrackedFiles, type FileMatch, type FollowedFile } from './create-tracked-files.ts';
import { type FoundFile, toFault } from './find-log-files.ts';
import { createOpenFiles, type OpenFiles } from './open-files.ts';
import { type Copy, chooseSuccessor, isSameCopy, planOtherFile, planOwnFile } from './tracked-file.ts';

/** Dependencies and settings of a set of files. */
export interface FileSetOptions {
  /** Positions of an earlier process; absent when there was none. */
  readonly stored?: readonly FilePosition[];
  readonly lookBackBytes: number;
  readonly onLine: (text: string, start: number, end: number, old: boolean) => void;
  /** Called after each chunk; false stops the sweep. */
  readonly shouldContinue: () => boolean;
  readonly openFiles?: OpenFiles;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

/** Reads each line once, whatever rotation does to the files; see docs/decisions/0012-file-identity.md. */
export interface FileSet {
  /** Reads everything new in the files of the glob. Resolves to the fault when none of them can be read. */
  sweep(files: readonly FoundFile[]): Promise<LogFault | undefined>;
  positions(): readonly FilePosition[];
  close(): Promise<void>;
}

/** Bytes searched for the start of the last line. */
const LINE_BYTES = 64 * 1024;

/** Starts from the stored positions. `tracked-file.ts` decides what to do; this does it. */
export function createFileSet({
  stored,
  lookBackBytes,
  onLine: onAnyLine,
  shouldContinue,
  openFiles = createOpenFiles(),
  now = () => performance.now(),
}: FileSetOptions): FileSet {
  const onLine: OnLine = (text, start, end) => onAnyLine(text, start, end, false);
  const onOldLine: OnLine = (text, start, end) => onAnyLine(text, start, end, true);
  const tracked = createTrackedFiles({ stored: stored ?? [], onLine, shouldContinue, openFiles, now });
  const { copies } = tracked;
  const searchRemainders = createRestSeeker({ tracked, openFiles, onLine, shouldContinue, now });
  let isFirst = true;

  const createFileTail = (file: FoundFile, offset: number, known?: FilePosition) =>
    createTail(file.path, file.inode, offset, known, openFiles);

  /**
   * Reads a file through a tail and makes it active. Changes nothing when it cannot be opened or now holds another
   * content.
   */
  const read = async (tail: Tail, file: FoundFile, known?: FollowedFile, readOld = async () => {}) => {
    const from = tail.offset();
    let isSame = false;
    try {
      await readOld();
      isSame = await tail.drain(onLine, undefined, shouldContinue);
    } finally {
      if (isSame || tail.offset() > from) {
        const followed = await tracked.activate(tail, file, known);
        if (!isSame) await tracked.rotate(followed);
      } else await tail.close();
    }
  };

  const startFile = async (file: FoundFile) => {
    if (file.size === 0) await tracked.activate(createFileTail(file, 0), file);
    else if (!isFirst || stored !== undefined) await read(createFileTail(file, 0), file);
    else {
      const tail = createFileTail(file, Math.max(file.size - lookBackBytes, 0));
      await read(tail, file, undefined, async () => void (await tail.drain(onOldLine, file.size, shouldContinue)));
    }
  };

  /** Continues a tracked file in a found one, from its offset. */
  const continueIn = async (original: FollowedFile, file: FoundFile) => {
    // What was appended under the old name is read from there first.
    if (original.isOpen) await tracked.readAppended(original).catch(() => false);
    const position = original.tail.position();
    const tail = original.inode === file.inode ? original.tail : createFileTail(file, position.offset, position);
    tail.path = file.path;
    await read(tail, file, original, async () => {
      if (!isFirst || lookBackBytes === 0) return;
      const old = createFileTail(file, Math.max(tail.offset() - lookBackBytes, 0));
      await old.drain(onOldLine, tail.offset(), shouldContinue).finally(old.close);
    });
  };

  /** Handles a truncated file: what it still holds was read, and what is appended to it was not. */
  const readAfterTruncation = async (file: FoundFile) => {
    const from = Math.max(file.size - LINE_BYTES, 0);
    const end = await openFiles.use(() => withOpenFile(file, (readAt) => readAt(from, file.size - from)));
    const lineBreak = end.lastIndexOf(10);
    await read(createFileTail(file, lineBreak === -1 ? file.size : from + lineBreak + 1), file);
  };

  /** Two files hold the same content. The original is read first, because the other may then have nothing more. */
  const branch = async (original: FollowedFile, file: FoundFile) => {
    await tracked.readAppended(original);
    const match = await tracked.match(file);
    if (match === undefined || match.original !== original || original.state !== 'active')
      return applyPlan(file, match);
    if (file.size <= original.offset) return applyPlan(file, match);
    const position = original.tail.position();
    await read(createFileTail(file, position.offset, position), file);
  };

  const applyPlan = async (file: FoundFile, match: FileMatch | undefined): Promise<void> => {
    const copy = copies.get(file.inode);
    const plan = planOtherFile(file, match, copy, now());
    // What a copy gained before it was rewritten may be in another file.
    if (copy?.original.state === 'done' && match?.holds !== 'all') await tracked.rotate(copy.original);
    switch (plan.step) {
      case 'begin':
        return startFile(file);
      case 'follow':
        return continueIn(plan.original, file);
      case 'branch':
        return branch(plan.original, file);
      case 'truncated':
        return readAfterTruncation(file);
      case 'ignore': {
        const { path, size, writtenAt } = file;
        const { match, shortSince } = plan;
        copies.set(file.inode, { ...match, path, size, writtenAt, ...(shortSince !== undefined && { shortSince }) });
      }
    }
  };

  const sweepActive = async (file: FollowedFile, found: FoundFile | undefined) => {
    const step = planOwnFile(file, found, now());
    if (step === 'leave') return tracked.leave(file);
    if (found !== undefined) {
      file.tail.path = found.path;
      file.writtenAt = found.writtenAt;
    }
    if (step === 'close') await file.tail.close();
    if (step === 'read') await tracked.readActive(file).catch(() => {});
  };

  const sweepSuccessors = async (others: readonly FoundFile[]) => {
    if (tracked.inState('rotated').length === 0) return;
    const matches = await Promise.all(
      others
        .filter((file) => !isSameCopy(copies.get(file.inode), file))
        .map(async (file) => ({ file, match: await tracked.match(file).catch(() => undefined) })),
    );
    for (const original of tracked.inState('rotated')) {
      const file = chooseSuccessor(original, matches);
      if (file !== undefined) await continueIn(original, file).catch(() => {});
    }
  };

  /** A copy has left the glob, with whatever it gained since it was compared. */
  const removeCopy = async (inode: string, { original, holds, path }: Copy<FollowedFile>) => {
    copies.delete(inode);
    if (original.state === 'done') await tracked.rotate(original);
    // It may have been the start of a new log that begins the same.
    if (holds === 'part') tracked.seekUnread(inode, path);
  };

  const sweepOther = async (file: FoundFile) => {
    const copy = copies.get(file.inode);
    if (isSameCopy(copy, file)) return;
    // A copy that is rewritten in place is empty for a moment.
    if (copy !== undefined && file.size === 0) {
      if (copy.original.state === 'done' && copy.size > 0) await tracked.rotate(copy.original);
      copies.set(file.inode, { ...copy, size: 0, writtenAt: file.writtenAt });
      return;
    }
    await applyPlan(file, isFirst && stored === undefined ? undefined : await tracked.match(file));
  };

  const readOpenRotated = async () => {
    // A writer may continue in a file that was renamed.
    for (const file of tracked.inState('rotated')) if (file.isOpen) await tracked.readAppended(file).catch(() => {});
  };

  /** Resolves to the fault of the last file that could not be read. */
  const sweepOthers = async (others: readonly FoundFile[]): Promise<LogFault | undefined> => {
    let fault: LogFault | undefined;
    for (const file of others)
      await sweepOther(file).catch((error: unknown) => {
        const { what } = toFault(error);
        fault = { what: what === 'denied' ? what : 'broken' };
      });
    return fault;
  };

  return {
    // The steps are those of docs/decisions/0012-file-identity.md.
    sweep: async (found) => {
      const files = new Map(found.map((file) => [file.inode, file]));
      const others = () => found.filter(({ inode }) => tracked.activeAt(inode) === undefined);
      for (const file of tracked.inState('active')) await sweepActive(file, files.get(file.inode));
      await readOpenRotated();
      if (!isFirst || stored !== undefined) await sweepSuccessors(others());
      await searchRemainders(files);
      const fault = await sweepOthers(others());
      for (const [inode, copy] of copies) if (!files.has(inode)) await removeCopy(inode, copy);
      tracked.forgetOld();
      isFirst = false;
      return found.some(({ inode }) => tracked.activeAt(inode) || copies.has(inode)) ? undefined : fault;
    },
    positions: tracked.positions,
    close: async () => {
      for (const file of tracked.inState('rotated')) if (file.isOpen) file.tail.flush(onLine);
      for (const state of ['active', 'rotated'] as const)
        for (const { tail } of tracked.inState(state)) await tail.close();
    },
  };
}
