import type { OnLine } from '../../model/create-line-cutter.ts';
import type { FilePosition, LogFault } from '../../model/log.ts';
import { createOpenFiles, type OpenFiles } from './create-open-files.ts';
import { createRestSeeker } from './create-rest-seeker.ts';
import { createTail, type Tail } from './create-tail.ts';
import { createTrackedFiles, type FileMatch, type FollowedFile } from './create-tracked-files.ts';
import { lookInto } from './file-head.ts';
import { type FoundFile, toFault } from './find-log-files.ts';
import { type Copy, chooseSuccessor, isSameCopy, planOtherFile, planOwnFile } from './tracked-file.ts';

/** What a set of files is given. */
export interface FileSetOptions {
  /** Of an earlier process; absent when there was none. */
  readonly stored?: readonly FilePosition[];
  readonly lookBackBytes: number;
  readonly onLine: (text: string, start: number, end: number, old: boolean) => void;
  /** Asked after each chunk. */
  readonly goOn: () => boolean;
  readonly openFiles?: OpenFiles;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

/** Reads each line of files once, whatever rotation does to them; see docs/decisions/0012-file-identity.md. */
export interface FileSet {
  /** Reads all that is new, given all files of the glob. Resolves to the fault when none of them can be read. */
  sweep(files: readonly FoundFile[]): Promise<LogFault | undefined>;
  positions(): readonly FilePosition[];
  close(): Promise<void>;
}

/** How far back the beginning of the last line may be. */
const LINE_BYTES = 64 * 1024;

/** A set that knows nothing but what was stored. What to do is decided in `tracked-file.ts`, and done here. */
export function createFileSet({
  stored,
  lookBackBytes,
  onLine: onAnyLine,
  goOn,
  openFiles = createOpenFiles(),
  now = () => performance.now(),
}: FileSetOptions): FileSet {
  const onLine: OnLine = (text, start, end) => onAnyLine(text, start, end, false);
  const onOldLine: OnLine = (text, start, end) => onAnyLine(text, start, end, true);
  const tracked = createTrackedFiles({ stored: stored ?? [], onLine, goOn, openFiles, now });
  const { copies } = tracked;
  const seekRests = createRestSeeker({ tracked, openFiles, onLine, goOn, now });
  let isFirst = true;

  const createFileTail = (file: FoundFile, offset: number, known?: FilePosition) =>
    createTail(file.path, file.inode, offset, known, openFiles);

  /** Reads a file by a tail from now on; changes nothing when it cannot be opened or holds something else by now. */
  const read = async (tail: Tail, file: FoundFile, known?: FollowedFile, readOld = async () => {}) => {
    const from = tail.offset();
    let isSame = false;
    try {
      await readOld();
      isSame = await tail.drain(onLine, undefined, goOn);
    } finally {
      if (isSame || tail.offset() > from) {
        const followed = await tracked.activate(tail, file, known);
        if (!isSame) await tracked.rotate(followed);
      } else await tail.close();
    }
  };

  const begin = async (file: FoundFile) => {
    if (file.size === 0) await tracked.activate(createFileTail(file, 0), file);
    else if (!isFirst || stored !== undefined) await read(createFileTail(file, 0), file);
    else {
      const tail = createFileTail(file, Math.max(file.size - lookBackBytes, 0));
      await read(tail, file, undefined, async () => void (await tail.drain(onOldLine, file.size, goOn)));
    }
  };

  /** Reads a file as the one that is known, from where that was read up to. */
  const follow = async (of: FollowedFile, file: FoundFile) => {
    // What it gained under its old name is read from there.
    if (of.isOpen) await tracked.readOn(of).catch(() => false);
    const position = of.tail.position();
    const tail = of.inode === file.inode ? of.tail : createFileTail(file, position.offset, position);
    tail.path = file.path;
    await read(tail, file, of, async () => {
      if (!isFirst || lookBackBytes === 0) return;
      const old = createFileTail(file, Math.max(tail.offset() - lookBackBytes, 0));
      await old.drain(onOldLine, tail.offset(), goOn).finally(old.close);
    });
  };

  /** Reads a file that was cut: what it holds was read, and what is written behind it was not. */
  const readBehindCut = async (file: FoundFile) => {
    const from = Math.max(file.size - LINE_BYTES, 0);
    const end = await openFiles.use(() => lookInto(file, (readAt) => readAt(from, file.size - from)));
    const lineBreak = end.lastIndexOf(10);
    await read(createFileTail(file, lineBreak === -1 ? file.size : from + lineBreak + 1), file);
  };

  /** Of two files that hold the same, the original is read first: the other may have nothing more. */
  const branch = async (of: FollowedFile, file: FoundFile) => {
    await tracked.readOn(of);
    const match = await tracked.match(file);
    if (match === undefined || match.of !== of || of.state !== 'active') return act(file, match);
    if (file.size <= of.offset) return act(file, match);
    const position = of.tail.position();
    await read(createFileTail(file, position.offset, position), file);
  };

  const act = async (file: FoundFile, match: FileMatch | undefined): Promise<void> => {
    const copy = copies.get(file.inode);
    const plan = planOtherFile(file, match, copy, now());
    // What a copy gained before it was written again may be somewhere else.
    if (copy?.of.state === 'done' && match?.holds !== 'all') await tracked.rotate(copy.of);
    if (match === undefined) return begin(file);
    if (plan.step === 'follow') return follow(match.of, file);
    if (plan.step === 'branch') return branch(match.of, file);
    if (plan.step === 'cut') return readBehindCut(file);
    const shortSince = plan.step === 'ignore' ? plan.shortSince : undefined;
    const { path, size, writtenAt } = file;
    copies.set(file.inode, { ...match, path, size, writtenAt, ...(shortSince !== undefined && { shortSince }) });
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
    if (tracked.in('rotated').length === 0) return;
    const matches = await Promise.all(
      others
        .filter((file) => !isSameCopy(copies.get(file.inode), file))
        .map(async (file) => ({ file, match: await tracked.match(file).catch(() => undefined) })),
    );
    for (const of of tracked.in('rotated')) {
      const file = chooseSuccessor(of, matches);
      if (file !== undefined) await follow(of, file).catch(() => {});
    }
  };

  /** A copy has left the glob, with what it gained since it was compared. */
  const loseCopy = async (inode: string, { of, holds, path }: Copy<FollowedFile>) => {
    copies.delete(inode);
    if (of.state === 'done') await tracked.rotate(of);
    // It may have been the beginning of a new log that begins alike.
    if (holds === 'part') tracked.seekUnread(inode, path);
  };

  const sweepOther = async (file: FoundFile) => {
    const copy = copies.get(file.inode);
    if (isSameCopy(copy, file)) return;
    // While a copy is written again in its place it is empty.
    if (copy !== undefined && file.size === 0) {
      if (copy.of.state === 'done' && copy.size > 0) await tracked.rotate(copy.of);
      copies.set(file.inode, { ...copy, size: 0, writtenAt: file.writtenAt });
      return;
    }
    await act(file, isFirst && stored === undefined ? undefined : await tracked.match(file));
  };

  return {
    sweep: async (found) => {
      const files = new Map(found.map((file) => [file.inode, file]));
      const others = () => found.filter(({ inode }) => tracked.activeAt(inode) === undefined);
      for (const file of tracked.in('active')) await sweepActive(file, files.get(file.inode));
      // A writer may go on with a file that was renamed.
      for (const file of tracked.in('rotated')) if (file.isOpen) await tracked.readOn(file).catch(() => {});
      if (!isFirst || stored !== undefined) await sweepSuccessors(others());
      await seekRests(files);
      let fault: LogFault | undefined;
      for (const file of others())
        await sweepOther(file).catch((error: unknown) => {
          const { what } = toFault(error);
          fault = { what: what === 'denied' ? what : 'broken' };
        });
      for (const [inode, copy] of copies) if (!files.has(inode)) await loseCopy(inode, copy);
      tracked.forgetOld();
      isFirst = false;
      return found.some(({ inode }) => tracked.activeAt(inode) || copies.has(inode)) ? undefined : fault;
    },
    positions: tracked.positions,
    close: async () => {
      for (const file of tracked.in('rotated')) if (file.isOpen) file.tail.flush(onLine);
      for (const state of ['active', 'rotated'] as const) for (const { tail } of tracked.in(state)) await tail.close();
    },
  };
}
