import type { FilePosition, LogFault } from '../model/log.ts';
import { createContents } from './create-contents.ts';
import type { OnLine } from './create-line-cutter.ts';
import { createTail, type Tail } from './create-tail.ts';
import { hashHead, readHeadOf } from './file-head.ts';
import { type FoundFile, findRelated, toFault } from './find-log-files.ts';
import { isGzip, readCopy, readCopyHead } from './read-copy.ts';

/** What a set of files is given. */
export interface FileSetOptions {
  /** Of an earlier process; absent when there was none. */
  readonly stored?: readonly FilePosition[];
  readonly lookBackBytes: number;
  readonly onLine: (text: string, start: number, end: number, old: boolean) => void;
  /** Asked after each chunk. */
  readonly goOn: () => boolean;
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

/** Does the file that held a content still hold it? */
const isOwnFile = (tail: Tail, { inode, size }: FoundFile, head: Buffer): boolean =>
  inode === tail.inode && size >= tail.offset() && (tail.offset() === 0 || tail.beginsLike(head));

/** A set that knows nothing but what was stored. */
export function createFileSet({ stored, lookBackBytes, onLine, goOn }: FileSetOptions): FileSet {
  const tell: OnLine = (text, start, end) => onLine(text, start, end, false);
  const tellOld: OnLine = (text, start, end) => onLine(text, start, end, true);
  const contents = createContents(stored ?? [], tell);
  const { alive, copies, isAlive } = contents;
  /** Since when a file is not in the glob any more. */
  const left = new Map<Tail, number>();
  let isFirst = true;
  let soughtAt = Number.NEGATIVE_INFINITY;

  /** Reads the content's own file; false when that holds another one now. */
  const readOn = async (tail: Tail): Promise<boolean> => {
    if (await tail.drain(tell, undefined, goOn)) return true;
    await contents.end(tail);
    return false;
  };
  /** Reads a file as the content from now on; one that cannot be opened stays unknown. */
  const follow = async (tail: Tail, file: FoundFile, before = async () => {}) => {
    tail.path = file.path;
    alive.set(tail.inode, tail);
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
    copies.delete(file.inode);
    if (!isFirst || stored !== undefined) return follow(createTail(file.path, file.inode, 0), file);
    const tail = createTail(file.path, file.inode, Math.max(file.size - lookBackBytes, 0));
    await follow(tail, file, async () => void (await tail.drain(tellOld, file.size, goOn)));
  };

  /** A content that was known before goes on in its own file: after a restart, or when that comes back. */
  const resume = async (file: FoundFile) => {
    const own = contents.ended().filter(({ inode }) => inode === file.inode);
    if (own.length === 0) return;
    const head = await readHeadOf(file);
    const tail = own.find((one) => isOwnFile(one, file, head));
    if (tail === undefined) return;
    const until = tail.offset();
    await follow(tail, file, async () => {
      if (!isFirst) return;
      const past = createTail(file.path, file.inode, Math.max(until - lookBackBytes, 0));
      await past.drain(tellOld, until, goOn).finally(past.close);
    });
  };

  /** Reads of a copy what its original has lost; the original tells what it still has itself. */
  const readCopyOf = async (of: Tail, file: FoundFile, head: Buffer) => {
    // One that holds what its original has not is none.
    if (file.size > of.offset() && isAlive(of) && (await readOn(of)) && file.size > of.offset()) return begin(file);
    if (!isAlive(of) && file.size >= of.offset()) {
      await of.take(readCopy(file.path, of.offset()), tell, goOn);
      contents.settle(of);
    }
    const { path, inode, size } = file;
    const position = { path, inode, offset: size, head: hashHead(head), headBytes: head.length };
    copies.set(inode, { of, size, position });
  };

  const sweepTails = async (files: Files) => {
    const now = performance.now();
    for (const tail of [...alive.values()]) {
      const file = files.get(tail.inode);
      if (file === undefined) {
        if (!left.has(tail)) left.set(tail, now);
        if (!(await readOn(tail).catch(() => true)) || now - (left.get(tail) ?? now) < LEAVE_MS) continue;
        await contents.end(tail);
        contents.settle(tail);
        continue;
      }
      left.delete(tail);
      tail.path = file.path;
      if (file.size === tail.offset()) continue;
      // One that was seen while it was still empty may turn out to be a copy.
      const head = tail.offset() === 0 ? await readHeadOf(file).catch(() => undefined) : undefined;
      if (head === undefined || contents.findOriginal(file, head) === undefined) await readOn(tail).catch(() => {});
      else {
        alive.delete(tail.inode);
        await tail.close();
      }
    }
    for (const tail of left.keys()) if (!isAlive(tail)) left.delete(tail);
  };

  const sweepOther = async (file: FoundFile) => {
    const copy = copies.get(file.inode);
    if (copy?.size === file.size && (isAlive(copy.of) || contents.isSettled(copy.of))) return;
    const head = await readHeadOf(file);
    // While a copy is made anew in its place it is empty.
    if (copy !== undefined && (head.length === 0 || copy.of.beginsLike(head))) return readCopyOf(copy.of, file, head);
    const original = isFirst && stored === undefined ? undefined : contents.findOriginal(file, head);
    await (original === undefined ? begin(file) : readCopyOf(original, file, head));
  };

  /** Looks for the rest of a content in what rotation has made of its file outside of the glob. */
  const seekRest = async (tail: Tail, files: Files) => {
    for (const file of await findRelated(tail.path)) {
      if (files.has(file.inode) || alive.has(file.inode)) continue;
      if (!isGzip(file.path) && file.size < tail.offset()) continue;
      const head = await readCopyHead(file.path);
      if (isOwnFile(tail, file, head)) return follow(tail, file);
      if (!tail.beginsLike(head)) continue;
      await tail.take(readCopy(file.path, tail.offset()), tell, goOn);
      return contents.settle(tail);
    }
  };
  const seek = async (files: Files) => {
    const now = performance.now();
    if (now - soughtAt < SEEK_EVERY_MS) return;
    soughtAt = now;
    // One that is still being packed, or was moved meanwhile, is tried again.
    for (const tail of contents.sought()) await seekRest(tail, files).catch(() => {});
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
