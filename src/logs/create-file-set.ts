import type { FilePosition, LogFault } from '../model/log.ts';
import { createContents, type Related } from './create-contents.ts';
import type { OnLine } from './create-line-cutter.ts';
import { createOpenFiles, type OpenFiles } from './create-open-files.ts';
import { createTail, type Tail } from './create-tail.ts';
import { hashHead, lookInto } from './file-head.ts';
import { type FoundFile, findRelated, toFault } from './find-log-files.ts';
import { isGzip, readCopy, readerOfCopy } from './read-copy.ts';

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

type Files = ReadonlyMap<string, FoundFile>;

/** A writer goes on with a renamed file until it is told to open the new one. */
const LEAVE_MS = 30_000;

/** So often the rest of a content is looked for beside the glob. */
const SEEK_EVERY_MS = 1_000;

/** A file that has not grown for so long is closed until it does. */
const IDLE_MS = 60_000;

/** A file that is written again in its place has reached its length when it has not grown for so long. */
const WRITTEN_MS = 3_000;

/** How far back the beginning of the last line may be. */
const LINE_BYTES = 64 * 1024;

/** A set that knows nothing but what was stored. */
export function createFileSet({
  stored,
  lookBackBytes,
  onLine,
  goOn,
  openFiles = createOpenFiles(),
  now: readNow = () => performance.now(),
}: FileSetOptions): FileSet {
  const tell: OnLine = (text, start, end) => onLine(text, start, end, false);
  const tellOld: OnLine = (text, start, end) => onLine(text, start, end, true);
  const contents = createContents(stored ?? [], tell, openFiles, readNow);
  const { alive, copies, isAlive } = contents;
  /** Since when a file is not in the glob any more. */
  const left = new Map<Tail, number>();
  const grownAt = new WeakMap<Tail, number>();
  /** When its file was written last, as of the last read. */
  const writtenAt = new WeakMap<Tail, number>();
  let isFirst = true;
  let soughtAt = Number.NEGATIVE_INFINITY;

  const createOpenTail = (file: FoundFile, offset: number, known?: FilePosition) =>
    createTail(file.path, file.inode, offset, known, openFiles);
  /** Reads the content's own file; false when that holds another one now. */
  const readOn = async (tail: Tail): Promise<boolean> => {
    grownAt.set(tail, readNow());
    if (await tail.drain(tell, undefined, goOn)) return true;
    await contents.end(tail);
    return false;
  };
  /** Reads a file as the content from now on; one that cannot be opened stays unknown. */
  const follow = async (tail: Tail, file: FoundFile, before = async () => {}) => {
    tail.path = file.path;
    writtenAt.set(tail, file.writtenAt);
    alive.set(tail.inode, tail);
    copies.delete(tail.inode);
    try {
      await before();
      await readOn(tail);
    } catch (error) {
      alive.delete(tail.inode);
      throw error;
    }
    contents.revive(tail);
  };

  const begin = async (file: FoundFile) => {
    if (file.size === 0) {
      // Nobody knows yet whether this becomes a copy.
      copies.delete(file.inode);
      alive.set(file.inode, createOpenTail(file, 0));
      return;
    }
    if (!isFirst || stored !== undefined) return follow(createOpenTail(file, 0), file);
    const tail = createOpenTail(file, Math.max(file.size - lookBackBytes, 0));
    await follow(tail, file, async () => void (await tail.drain(tellOld, file.size, goOn)));
  };

  /** A content that was known before goes on in its own file: after a restart, or when that comes back. */
  const resume = async (file: FoundFile) => {
    if (!contents.ended().some(({ inode }) => inode === file.inode)) return;
    // The system gives the number of a removed file to a new one, which may go on with what another was read of.
    const related = await contents.relate(file);
    if (related?.relation !== 'all' || related.of.inode !== file.inode || file.size < related.of.offset()) return;
    const tail = related.of;
    const until = tail.offset();
    await follow(tail, file, async () => {
      if (!isFirst) return;
      const past = createOpenTail(file, Math.max(until - lookBackBytes, 0));
      await past.drain(tellOld, until, goOn).finally(past.close);
    });
  };

  /** A file that holds all that was read of a content, and more, goes on with it, as after a save or a copy and a truncation. */
  const goOnWith = async (of: Tail, file: FoundFile) => {
    const position = of.position();
    const tail = createOpenTail(file, position.offset, position);
    await follow(tail, file);
    if (!isAlive(tail)) return;
    if (!isAlive(of)) contents.replace(of);
    // The line that has not ended is told from here.
    else if (left.has(of)) of.flush(() => {});
  };

  /** A file that was cut: what it holds was told, and what is written behind it was not. */
  const goOnAtEnd = async (file: FoundFile) => {
    const from = Math.max(file.size - LINE_BYTES, 0);
    const end = await openFiles.use(() => lookInto(file, (readAt) => readAt(from, file.size - from)));
    const lineBreak = end.lastIndexOf(10);
    await follow(createOpenTail(file, lineBreak === -1 ? file.size : from + lineBreak + 1), file);
  };

  const readRelated = async ({ of, relation, head }: Related, file: FoundFile) => {
    const now = readNow();
    if (relation === 'all' && file.size > of.offset()) {
      // The original tells what it has itself; one that holds what that has not goes its own way.
      const isRead = isAlive(of) && (await readOn(of).catch(() => false));
      if (isRead && file.size <= of.offset()) return keepCopy(of, file, head);
      return goOnWith(of, file);
    }
    if (relation === 'all' && !isAlive(of)) contents.settle(of);
    if (relation === 'all' || isAlive(of)) return keepCopy(of, file, head);
    const known = copies.get(file.inode);
    const shortSince = known?.size === file.size ? (known.shortSince ?? now) : now;
    keepCopy(of, file, head, shortSince);
    if (now - shortSince >= WRITTEN_MS) await goOnAtEnd(file);
  };
  const keepCopy = (of: Tail, { path, inode, size }: FoundFile, head: Buffer, shortSince?: number) => {
    const position = { path, inode, offset: size, head: hashHead(head), headBytes: head.length };
    copies.set(inode, { of, size, position, ...(shortSince !== undefined && { shortSince }) });
  };

  const sweepLeft = async (tail: Tail, now: number) => {
    // What has its path by now may be another file, even one with its number: its rest is looked for by what it holds.
    if (!tail.isOpen()) return contents.end(tail);
    const since = left.get(tail);
    if (since === undefined) left.set(tail, now);
    if (!(await readOn(tail).catch(() => true)) || now - (since ?? now) < LEAVE_MS) return;
    await contents.end(tail);
    contents.settle(tail);
  };

  const sweepTails = async (files: Files) => {
    const now = readNow();
    for (const tail of [...alive.values()]) {
      const file = files.get(tail.inode);
      if (file === undefined) {
        await sweepLeft(tail, now);
        continue;
      }
      left.delete(tail);
      tail.path = file.path;
      // What was written in the place of a content may be as long as that.
      const isWritten = file.size > 0 && file.writtenAt !== (writtenAt.get(tail) ?? file.writtenAt);
      writtenAt.set(tail, file.writtenAt);
      if (file.size === tail.offset() && !isWritten) {
        if (tail.isOpen() && now - (grownAt.get(tail) ?? now) > IDLE_MS) await tail.close();
        continue;
      }
      // One that was seen while it was still empty, or was closed, may hold what was read of another.
      const isSure = tail.offset() > 0 && tail.isOpen();
      const related = isSure ? undefined : await contents.relate(file).catch(() => undefined);
      if (related === undefined || related.of === tail) await readOn(tail).catch(() => {});
      else if (tail.offset() > 0) await contents.end(tail);
      else {
        alive.delete(tail.inode);
        await tail.close();
      }
    }
    for (const tail of left.keys()) if (!isAlive(tail)) left.delete(tail);
  };

  const sweepOther = async (file: FoundFile) => {
    const copy = copies.get(file.inode);
    const isSame = copy?.size === file.size && copy.shortSince === undefined;
    if (isSame && (isAlive(copy.of) || contents.isSettled(copy.of))) return;
    // While a copy is made anew in its place it is empty.
    if (copy !== undefined && file.size === 0) return;
    const related = isFirst && stored === undefined ? undefined : await contents.relate(file);
    await (related === undefined ? begin(file) : readRelated(related, file));
  };

  /** What rotation may have made of its file outside of the glob; undefined when rotation went on since `files` were found. */
  const findElsewhere = async (tail: Tail, files: Files): Promise<readonly FoundFile[] | undefined> => {
    const related = await findRelated(tail.path);
    const isMoved = ({ inode, path: now }: FoundFile) => {
      const before = files.get(inode)?.path ?? now;
      return before !== now && !related.some((one) => one.inode === inode && one.path === before);
    };
    const listed = new Map([...files.values()].map((file) => [file.path, file.inode]));
    const isReplaced = ({ inode, path: now }: FoundFile) => (listed.get(now) ?? inode) !== inode;
    if (related.some((one) => isMoved(one) || isReplaced(one))) return undefined;
    const isElse = ({ inode }: FoundFile) => !files.has(inode) && (!alive.has(inode) || alive.get(inode) === tail);
    return related.filter(isElse);
  };
  /** Looks for the rest of a content in what rotation has made of its file outside of the glob. */
  const seekRest = async (tail: Tail, files: Files) => {
    const others = (await findElsewhere(tail, files)) ?? [];
    const own = others.find(({ inode }) => inode === tail.inode);
    if (own !== undefined && (await seekIn(tail, own)) === 'followed') return;
    let isFound = false;
    // There may be an earlier copy beside the one that has the rest.
    for (const other of others)
      if (other !== own && (await seekIn(tail, other).catch(() => undefined)) === 'found') isFound = true;
    if (isFound) contents.settle(tail);
  };
  /** The same of one whose file was replaced, and what took its place rotated away before it was seen. */
  const seekRestOfLeft = async (tail: Tail, files: Files) => {
    const others = await findElsewhere(tail, files);
    if (others === undefined || others.some(({ inode }) => inode === tail.inode)) return;
    const until = tail.offset();
    for (const other of others) await seekIn(tail, other).catch(() => {});
    if (tail.offset() === until) return;
    await contents.end(tail);
    contents.settle(tail);
  };
  const seekIn = async (tail: Tail, file: FoundFile): Promise<'followed' | 'found' | undefined> => {
    const packed = isGzip(file.path);
    // The number of a removed file may be that of a copy or a packed file by now.
    const isOwn = file.inode === tail.inode && !packed;
    if ((!packed && file.size < tail.offset()) || (tail.offset() === 0 && !isOwn)) return;
    const readAt = readerOfCopy(file.path);
    const whole = packed ? { ...file, size: Number.POSITIVE_INFINITY } : file;
    const related = await openFiles.use(() => contents.relateTo(whole, readAt));
    const isRest = related?.of === tail && related.relation === 'all';
    if (isOwn && (isRest || (related === undefined && tail.offset() === 0))) {
      await follow(tail, file);
      return 'followed';
    }
    if (related === undefined) return;
    if (isRest) {
      await openFiles.use(() => tail.take(readCopy(file.path, tail.takesFrom()), tell, goOn));
      return 'found';
    }
    // What goes on with the content elsewhere has told the rest, or will.
    return (await openFiles.use(() => tail.compare(readAt, whole.size))) === 'all' ? 'found' : undefined;
  };
  const seek = async (files: Files) => {
    const now = readNow();
    if (now - soughtAt < SEEK_EVERY_MS) return;
    soughtAt = now;
    // One that is still being packed, or was moved meanwhile, is tried again.
    for (const tail of contents.sought()) await seekRest(tail, files).catch(() => {});
    for (const tail of left.keys()) await seekRestOfLeft(tail, files).catch(() => {});
  };

  return {
    sweep: async (found) => {
      const files = new Map(found.map((file) => [file.inode, file]));
      let fault: LogFault | undefined;
      const tryEach = async (read: (file: FoundFile) => Promise<void>) => {
        for (const file of found.filter(({ inode }) => !alive.has(inode)))
          await read(file).catch((error: unknown) => {
            const { what } = toFault(error);
            fault = { what: what === 'denied' ? what : 'broken' };
          });
      };
      await sweepTails(files);
      await tryEach(resume);
      await seek(files);
      await tryEach(sweepOther);
      for (const inode of copies.keys()) if (!files.has(inode)) copies.delete(inode);
      isFirst = false;
      return found.some(({ inode }) => alive.has(inode) || copies.has(inode)) ? undefined : fault;
    },
    positions: contents.positions,
    close: async () => {
      for (const tail of left.keys()) tail.flush(tell);
      for (const tail of alive.values()) await tail.close();
    },
  };
}
