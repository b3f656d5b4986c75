import type { FilePosition, LogFault } from '../model/log.ts';
import { createTail, type Tail } from './create-tail.ts';
import { hashHead, openFound, readHead } from './file-head.ts';
import { type FoundFile, findRelated, isRelated, toFault } from './find-log-files.ts';
import { isGzip, readCopy, readCopyHead } from './read-copy.ts';

/** What a set of files is given. */
export interface FileSetOptions {
  /** Of an earlier process; absent when there was none. */
  readonly stored?: readonly FilePosition[];
  readonly lookBackBytes: number;
  readonly onLine: (line: string, old: boolean) => void;
  /** Asked after each chunk. */
  readonly goOn: () => boolean;
}

/** Reads each line of files once, whatever rotation does to them; see docs/decisions/0012-file-identity.md. */
export interface FileSet {
  /** Reads all that is new, given all files of the glob. Resolves to the fault when none of them can be read. */
  sweep(files: readonly FoundFile[]): Promise<LogFault | undefined>;
  positions(): readonly FilePosition[];
  /** Ends what has left the glob, and closes all. */
  close(): Promise<void>;
}

/** A file that begins as a content which was read elsewhere; `size` of it has been compared with that, or read. */
interface Copy {
  readonly of: Tail;
  readonly size: number;
  readonly position: FilePosition;
}

/** A writer goes on with a renamed file until it is told to open the new one. */
const LEAVE_MS = 30_000;

/** So long, and so often, the rest of a content is looked for beside the glob. */
const SEARCH_MS = 60_000;
const SEARCH_EVERY_MS = 1_000;

/** Contents are known so long after their file has gone. */
const MAX_ENDED = 64;

async function readHeadOf({ path, inode }: FoundFile): Promise<Buffer> {
  const handle = await openFound(path, inode);
  try {
    return await readHead(handle);
  } finally {
    await handle.close();
  }
}

/** Does the file that held a content still hold it? */
const isOwnFile = (tail: Tail, { inode, size }: FoundFile, head: Buffer): boolean =>
  inode === tail.inode && size >= tail.offset() && (tail.offset() === 0 || tail.beginsLike(head));

/** A set that knows nothing but what was stored. */
export function createFileSet({ stored, lookBackBytes, onLine, goOn }: FileSetOptions): FileSet {
  /** Contents whose file is there, or was until just now, by inode. */
  const tails = new Map<string, Tail>();
  /** Since when a file is not in the glob any more. */
  const left = new Map<Tail, number>();
  const copies = new Map<string, Copy>();
  /** Contents whose file has gone or holds another, and until when their rest is looked for: 0 when it was found. */
  const ended = new Map<Tail, number>();
  for (const position of stored ?? [])
    ended.set(createTail(position.path, position.inode, position.offset, position), performance.now() + SEARCH_MS);
  let isFirst = true;
  let searchedAt = Number.NEGATIVE_INFINITY;

  const tell = (line: string) => onLine(line, false);
  const isAlive = (tail: Tail): boolean => tails.get(tail.inode) === tail;

  const end = async (tail: Tail, searchMs: number) => {
    tails.delete(tail.inode);
    left.delete(tail);
    ended.set(tail, performance.now() + searchMs);
    await tail.close();
  };
  /** Nothing more can come. */
  const settle = (tail: Tail) => {
    tail.flush(tell);
    ended.set(tail, 0);
  };
  /** Reads the content's own file; false when that holds another one now. */
  const readOn = async (tail: Tail): Promise<boolean> => {
    if (await tail.drain(tell, undefined, goOn)) return true;
    await end(tail, SEARCH_MS);
    return false;
  };
  /** Reads a file as the content from now on; one that cannot be opened stays unknown. */
  const follow = async (tail: Tail, file: FoundFile, first = async () => {}) => {
    tail.path = file.path;
    tails.set(tail.inode, tail);
    try {
      await first();
      await readOn(tail);
    } catch (error) {
      tails.delete(tail.inode);
      throw error;
    }
  };

  /** A content that was known before goes on in its own file: after a restart, or when that comes back. */
  const resume = async (file: FoundFile) => {
    const own = [...ended.keys()].reverse().filter(({ inode }) => inode === file.inode);
    for (const tail of own) {
      if (!isOwnFile(tail, file, await readHeadOf(file))) continue;
      const until = tail.offset();
      const lookBack = async () => {
        const past = createTail(file.path, file.inode, Math.max(until - lookBackBytes, 0));
        await past.drain((line) => onLine(line, true), until, goOn).finally(past.close);
      };
      await follow(tail, file, isFirst ? lookBack : undefined);
      if (isAlive(tail)) ended.delete(tail);
      return;
    }
  };

  /** The content that a file is a copy of, as far as its beginning tells. */
  const findOriginal = (file: FoundFile, head: Buffer): Tail | undefined => {
    const known = [...[...ended.keys()].reverse(), ...[...copies.values()].map(({ of }) => of), ...tails.values()];
    return known.find((tail) => tail.inode !== file.inode && isRelated(tail.path, file.path) && tail.beginsLike(head));
  };

  const isCopy = async (file: FoundFile): Promise<boolean> =>
    findOriginal(file, await readHeadOf(file).catch(() => Buffer.alloc(0))) !== undefined;

  const begin = async (file: FoundFile) => {
    copies.delete(file.inode);
    if (!isFirst || stored !== undefined) return follow(createTail(file.path, file.inode, 0), file);
    const tail = createTail(file.path, file.inode, Math.max(file.size - lookBackBytes, 0));
    await follow(tail, file, async () => void (await tail.drain((line) => onLine(line, true), file.size, goOn)));
  };

  /** Reads of a copy what its original has lost; the original tells what it still has itself. */
  const readCopyOf = async (of: Tail, file: FoundFile, head: Buffer) => {
    if (file.size > of.offset() && isAlive(of) && (await readOn(of)) && file.size > of.offset()) {
      // It holds what its original has not: so it is none.
      await begin(file);
      return;
    }
    if (!isAlive(of) && file.size >= of.offset()) {
      await of.take(readCopy(file.path, of.offset()), tell, goOn);
      settle(of);
    }
    const { path, inode, size } = file;
    copies.set(inode, {
      of,
      size,
      position: { path, inode, offset: size, head: hashHead(head), headBytes: head.length },
    });
  };

  const sweepTails = async (files: ReadonlyMap<string, FoundFile>) => {
    const now = performance.now();
    for (const tail of [...tails.values()]) {
      const file = files.get(tail.inode);
      if (file === undefined) {
        if (!left.has(tail)) left.set(tail, now);
        if (!(await readOn(tail).catch(() => true)) || now - (left.get(tail) ?? now) < LEAVE_MS) continue;
        await end(tail, 0);
        settle(tail);
        continue;
      }
      left.delete(tail);
      tail.path = file.path;
      if (file.size === tail.offset()) continue;
      if (tail.offset() === 0 && (await isCopy(file))) {
        // It was seen while it was still empty.
        tails.delete(tail.inode);
        await tail.close();
      } else await readOn(tail).catch(() => {});
    }
  };

  const sweepOther = async (file: FoundFile) => {
    const copy = copies.get(file.inode);
    if (copy?.size === file.size && (isAlive(copy.of) || ended.get(copy.of) === 0)) return;
    const head = await readHeadOf(file);
    // While a copy is made anew in its place it is empty.
    if (copy !== undefined && (head.length === 0 || copy.of.beginsLike(head))) return readCopyOf(copy.of, file, head);
    const original = isFirst && stored === undefined ? undefined : findOriginal(file, head);
    await (original === undefined ? begin(file) : readCopyOf(original, file, head));
  };

  /** Looks for the rest of a content in what rotation has made of its file outside of the glob; true when it was found. */
  const findRest = async (tail: Tail, files: ReadonlyMap<string, FoundFile>): Promise<boolean> => {
    for (const file of await findRelated(tail.path)) {
      if (files.has(file.inode) || tails.has(file.inode)) continue;
      if (!isGzip(file.path) && file.size < tail.offset()) continue;
      const head = await readCopyHead(file.path);
      if (isOwnFile(tail, file, head)) {
        await follow(tail, file);
        if (isAlive(tail)) ended.delete(tail);
        return false;
      }
      if (!tail.beginsLike(head)) continue;
      await tail.take(readCopy(file.path, tail.offset()), tell, goOn);
      return true;
    }
    return false;
  };

  const search = async (files: ReadonlyMap<string, FoundFile>) => {
    const now = performance.now();
    if (now - searchedAt < SEARCH_EVERY_MS) return;
    searchedAt = now;
    for (const [tail, until] of [...ended]) {
      if (until === 0) continue;
      // One that is still being packed, or was moved meanwhile, is tried again.
      if ((await findRest(tail, files).catch(() => false)) || (now > until && ended.has(tail))) settle(tail);
    }
    const settled = [...ended].filter(([, until]) => until === 0);
    for (const [tail] of settled.slice(0, -MAX_ENDED)) ended.delete(tail);
  };

  return {
    sweep: async (found) => {
      const files = new Map(found.map((file) => [file.inode, file]));
      let fault: LogFault | undefined;
      await sweepTails(files);
      const tryEach = async (read: (file: FoundFile) => Promise<void>) => {
        for (const file of found.filter(({ inode }) => !tails.has(inode)))
          await read(file).catch((error: unknown) => {
            const { what } = toFault(error);
            fault = { what: what === 'denied' ? what : 'broken' };
          });
      };
      await tryEach(resume);
      await search(files);
      await tryEach(sweepOther);
      for (const inode of copies.keys()) if (!files.has(inode)) copies.delete(inode);
      isFirst = false;
      const isReadable = found.some(({ inode }) => tails.has(inode) || copies.has(inode));
      return isReadable ? undefined : fault;
    },
    positions: () => [
      ...[...new Set([...tails.values(), ...ended.keys()])].map((tail) => tail.position()),
      // One whose original is still there is compared again.
      ...[...copies.values()].filter(({ of }) => !isAlive(of)).map(({ position }) => position),
    ],
    close: async () => {
      for (const tail of left.keys()) tail.flush(tell);
      for (const tail of tails.values()) await tail.close();
    },
  };
}
