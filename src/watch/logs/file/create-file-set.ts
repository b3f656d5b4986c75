import type { OnLine } from '../../../lib/bytes.ts';
import type { FilePosition, LogFault } from '../../../model/log.ts';
import { HEAD_BYTES } from './content.ts';
import { createTail, type Tail } from './create-tail.ts';
import { type FoundFile, findRelated, isRelated, toFault } from './find-log-files.ts';
import { createOpenFiles, type OpenFiles } from './open-files.ts';
import { isGzip, type ReadAt, withOpenFile, withUnpacked } from './open-log.ts';

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

/**
 * `active`: a file of the glob holds it and is read.
 * `rotated`: its file left the glob or holds another content; its unread rest is searched for.
 * `done`: the search is over. It is remembered so that copies of it are not read again.
 */
type State = 'active' | 'rotated' | 'done';

/** A content that is known, and so is never read twice, in whatever files it is. */
interface Content {
  readonly tail: Tail;
  state: State;
  /** When it entered this state, and when it was last read: monotonic, in milliseconds. */
  since: number;
  readAt: number;
  /** When its file was written, as of the last sweep, in Unix milliseconds. */
  writtenAt?: number;
}

/** The content that a file holds: all that was read of it, or less. */
interface Match {
  readonly content: Content;
  readonly holds: 'all' | 'part';
}

/** A file of the glob that is not read, because a content has its lines. */
interface Copy extends Match, Pick<FoundFile, 'path' | 'size' | 'writtenAt'> {
  /** Since when it has had this size, while it is shorter than what was read of a content that is not active. */
  readonly shortSince?: number;
}

/** Bytes searched for the start of the last line. */
const LINE_BYTES = 64 * 1024;

/** A content that has not grown for this long is closed, which saves a descriptor, and opened when it grows. */
const CLOSE_IDLE_MS = 60_000;

/** A file that is rewritten in place is complete when it has not grown for this long. */
const REWRITTEN_MS = 3_000;

/**
 * How long the rest of a rotated content is searched for. While its file is open, a writer may continue in it until it is
 * signalled to reopen its log. A closed one may still be copied or packed.
 */
const SEARCH_OPEN_MS = 30_000;
const SEARCH_CLOSED_MS = 60_000;
const SEARCH_EVERY_MS = 1_000;

/** Contents that are done and remembered: one may be put back, as from a backup. */
const MAX_DONE = 16;

const RANK: Readonly<Record<State, number>> = { active: 0, rotated: 1, done: 2 };

/** Starts from the stored positions, which are all rotated until a file is found to hold them. */
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
  /** In the order in which they entered their states. */
  const contents = new Set<Content>();
  /** By inode. */
  const copies = new Map<string, Copy>();
  let isFirst = true;
  let searchedAt = Number.NEGATIVE_INFINITY;

  const inState = (state: State) => [...contents].filter((content) => content.state === state);
  const setState = (content: Content, state: State) => {
    Object.assign(content, { state, since: now() });
    contents.delete(content);
    contents.add(content);
  };
  const createContent = (file: Pick<FoundFile, 'path' | 'inode'>, from: number | FilePosition): Content => {
    const at = now();
    return { tail: createTail(file, from, openFiles), state: 'rotated', since: at, readAt: at };
  };
  for (const position of stored ?? []) contents.add(createContent(position, position));

  const rotate = async (content: Content) => {
    setState(content, 'rotated');
    await content.tail.close();
  };
  /** Ends the search for the rest of a content. No more can come of an incomplete line. */
  const finish = async (content: Content) => {
    setState(content, 'done');
    content.tail.flush(onLine);
    await content.tail.close();
  };
  /** Reads what was appended. The content is rotated when its file now holds another. */
  const readOn = async (content: Content) => {
    content.readAt = now();
    if (!(await content.tail.drain(onLine, { shouldContinue }))) await rotate(content);
  };

  /**
   * The content that a file holds: the one read furthest, because a shorter match adds nothing. Ties go to the one with its inode,
   * then to the most active state.
   */
  const matchIn = async ({ path, inode }: Pick<FoundFile, 'path' | 'inode'>, readAt: ReadAt, size: number) => {
    const head = await readAt(0, HEAD_BYTES);
    const matches: Match[] = [];
    for (const content of contents) {
      const { tail } = content;
      const mayHold = tail.inode === inode || isRelated(tail.path, path);
      if (tail.offset() === 0 || !mayHold || !tail.matchesHead(head)) continue;
      const holds = await tail.compare(readAt, size);
      if (holds !== 'none') matches.push({ content, holds });
    }
    const isElsewhere = ({ content }: Match) => Number(content.tail.inode !== inode);
    return matches.toSorted(
      (a, b) =>
        b.content.tail.offset() - a.content.tail.offset() ||
        isElsewhere(a) - isElsewhere(b) ||
        RANK[a.content.state] - RANK[b.content.state],
    )[0];
  };
  const match = (file: FoundFile) =>
    openFiles.use(() => withOpenFile(file, (readAt, size) => matchIn(file, readAt, size)));

  /** Reads a content from a file of the glob. Nothing changes when that cannot be opened or now holds another content. */
  const readIn = async (content: Content, file: FoundFile, readOld = async () => {}) => {
    const { tail } = content;
    const { path, inode } = tail;
    const from = tail.offset();
    await tail.moveTo(file);
    let isSame = false;
    try {
      await readOld();
      isSame = await tail.drain(onLine, { shouldContinue });
    } finally {
      if (isSame || tail.offset() > from) {
        Object.assign(content, { readAt: now(), writtenAt: file.writtenAt });
        copies.delete(file.inode);
        setState(content, 'active');
        if (!isSame) await rotate(content);
      } else {
        await tail.close();
        await tail.moveTo({ path, inode });
      }
    }
  };

  const begin = async (file: FoundFile) => {
    const isOld = isFirst && stored === undefined;
    const content = createContent(file, isOld ? Math.max(file.size - lookBackBytes, 0) : 0);
    if (file.size === 0) setState(content, 'active');
    else
      await readIn(content, file, async () => {
        if (isOld) await content.tail.drain(onOldLine, { until: file.size, shouldContinue });
      });
  };

  /** Continues a content that is not active in a file that holds all of it. */
  const continueIn = async (content: Content, file: FoundFile) => {
    // What was appended to the file before is read from there first.
    if (content.tail.isOpen()) await readOn(content).catch(() => {});
    await readIn(content, file, async () => {
      if (!isFirst || lookBackBytes === 0) return;
      const until = content.tail.offset();
      const old = createTail(file, Math.max(until - lookBackBytes, 0), openFiles);
      await old.drain(onOldLine, { until, shouldContinue }).finally(old.close);
    });
  };

  /** What a cut file still holds was read, and what is appended to it was not. */
  const beginAtEnd = async (file: FoundFile) => {
    const from = Math.max(file.size - LINE_BYTES, 0);
    const end = await openFiles.use(() => withOpenFile(file, (readAt) => readAt(from, file.size - from)));
    const lineBreak = end.lastIndexOf(10);
    await readIn(createContent(file, lineBreak === -1 ? file.size : from + lineBreak + 1), file);
  };

  const beginsLikeOther = (content: Content): boolean =>
    [...contents].some((other) => other !== content && other.tail.matchesHead(content.tail.head()));

  const sweepActive = async (content: Content, file: FoundFile | undefined) => {
    const { tail, writtenAt } = content;
    if (file === undefined) return setState(content, 'rotated');
    tail.path = file.path;
    content.writtenAt = file.writtenAt;
    // A replacement may have the same size.
    const isWritten = file.size > 0 && file.writtenAt !== (writtenAt ?? file.writtenAt);
    if (file.size === tail.offset() && !isWritten) {
      if (tail.isOpen() && now() - content.readAt > CLOSE_IDLE_MS) await tail.close();
      return;
    }
    // While it was empty or closed, the file may have been replaced by one with another content that is known.
    const mayHoldOther = tail.offset() === 0 || (!tail.isOpen() && beginsLikeOther(content));
    const held = mayHoldOther ? await match(file) : undefined;
    if (held === undefined || held.content === content) return readOn(content);
    await rotate(content);
    if (tail.offset() === 0) contents.delete(content);
  };

  /** Is it a copy that has not changed since it was compared, and can it hold nothing new? */
  const isSameCopy = ({ inode, size, writtenAt }: FoundFile): boolean => {
    const copy = copies.get(inode);
    if (copy?.size !== size || copy.writtenAt !== writtenAt) return false;
    return copy.shortSince === undefined && copy.content.state === 'active';
  };

  const isRest = ({ tail, state }: Content, { inode, size }: FoundFile): boolean =>
    size > tail.offset() || inode === tail.inode || state === 'done';

  /** Continues rotated contents: each in its own file under another name, else in the largest that holds more than was read. */
  const continueRotated = async (others: readonly FoundFile[]) => {
    if (inState('rotated').length === 0) return;
    const changed = others.filter((file) => !isSameCopy(file));
    const held = await Promise.all(
      changed.map(async (file) => ({ file, match: await match(file).catch(() => undefined) })),
    );
    for (const content of inState('rotated')) {
      const { path, inode } = content.tail;
      const [file] = held
        .filter(({ file, match }) => match?.content === content && match.holds === 'all' && isRest(content, file))
        .map(({ file }) => file)
        .sort(
          (a, b) =>
            Number(b.inode === inode) - Number(a.inode === inode) ||
            b.size - a.size ||
            Number(b.path === path) - Number(a.path === path),
        );
      if (file !== undefined) await continueIn(content, file).catch(() => {});
    }
  };

  /** A file of the glob from which no content is read: a new one, a copy, or one that was cut or rewritten. */
  const sweepOther = async (file: FoundFile, wasReadOn = false): Promise<void> => {
    if (isSameCopy(file)) return;
    const held = isFirst && stored === undefined ? undefined : await match(file);
    if (held === undefined) return begin(file);
    const { content, holds } = held;
    const isActive = content.state === 'active';
    if (holds === 'all' && !isActive && isRest(content, file)) return continueIn(content, file);
    if (holds === 'all' && isActive && file.size > content.tail.offset()) {
      if (wasReadOn) return readIn(createContent(file, content.tail.position()), file);
      // Two files hold the same. Once that of the content was read, the other may have nothing more.
      await readOn(content);
      return sweepOther(file, true);
    }
    const { path, size, writtenAt } = file;
    const copy = { ...held, path, size, writtenAt };
    if (holds === 'all' || isActive) return void copies.set(file.inode, copy);
    // It may be in the course of being written.
    const before = copies.get(file.inode);
    const shortSince = before?.size === size ? (before.shortSince ?? now()) : now();
    if (now() - shortSince >= REWRITTEN_MS) return beginAtEnd(file);
    copies.set(file.inode, { ...copy, shortSince });
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

  /** The files outside of the glob that may hold the rest of a content. Undefined when rotation went on since the glob was listed. */
  const findOutside = async (content: Content, files: ReadonlyMap<string, FoundFile>) => {
    const related = await findRelated(content.tail.path);
    const isThere = (path: string, inode: string) => related.some((one) => one.path === path && one.inode === inode);
    const isMoved = ({ path, inode }: FoundFile) =>
      files
        .values()
        .some((listed) => (listed.path === path || listed.inode === inode) && !isThere(listed.path, listed.inode));
    if (related.some(isMoved)) return undefined;
    // A packed file is a new one. Its inode says nothing, as it may be that of a log that is gone.
    return related
      .map((file) => (isGzip(file.path) ? { ...file, inode: '' } : file))
      .filter(({ inode }) => !files.has(inode));
  };

  /** Reads what a file outside of the glob adds to a rotated content. */
  const readOutside = async (content: Content, file: FoundFile): Promise<'nothing' | 'own' | 'copy'> => {
    const { tail } = content;
    const isOwn = file.inode === tail.inode;
    const work = async (readAt: ReadAt, size: number) => {
      const held = await matchIn(file, readAt, size);
      if (isOwn && held === undefined && tail.offset() === 0) return 'own';
      if (held?.content !== content || held.holds === 'part') return 'nothing';
      if (isOwn) return 'own';
      const before = tail.offset();
      await tail.drainFrom(readAt, size, onLine, { shouldContinue });
      // As long as its file is open, more may be written to it.
      return tail.isOpen() && tail.offset() === before ? 'nothing' : 'copy';
    };
    const step = await openFiles.use(() =>
      isGzip(file.path) ? withUnpacked(file.path, work) : withOpenFile(file, work),
    );
    if (step !== 'own') return step;
    tail.path = file.path;
    await readOn(content);
    return step;
  };

  /** Searches for the rest of rotated contents outside of the glob: renamed, copied or packed by gzip. */
  const searchOutside = async (files: ReadonlyMap<string, FoundFile>) => {
    const rotated = inState('rotated');
    if (rotated.length === 0 || now() - searchedAt < SEARCH_EVERY_MS) return;
    searchedAt = now();
    for (const content of rotated) {
      const { tail, since } = content;
      const outside = await findOutside(content, files);
      if (outside === undefined) continue;
      const isOwn = ({ inode }: FoundFile) => inode === tail.inode;
      const own = outside.find(isOwn);
      const steps: string[] = [];
      const read = async (file: FoundFile) => steps.push(await readOutside(content, file).catch(() => 'nothing'));
      // An open file is read to its end, wherever it is.
      if (own !== undefined && !tail.isOpen()) await read(own);
      // An earlier copy may be beside the one that has the rest, and one that is still being packed is tried again.
      if (own === undefined || !tail.isOpen()) for (const file of outside) if (!isOwn(file)) await read(file);
      const isOver = now() - since >= (tail.isOpen() ? SEARCH_OPEN_MS : SEARCH_CLOSED_MS);
      if (content.state === 'rotated' && (steps.includes('copy') || isOver)) await finish(content);
    }
  };

  const forgetGone = (files: ReadonlyMap<string, FoundFile>) => {
    for (const [inode, { holds, path }] of copies) {
      if (files.has(inode)) continue;
      copies.delete(inode);
      // It may have been the start of a new log that begins the same.
      if (holds === 'part') contents.add(createContent({ path, inode }, 0));
    }
    const done = inState('done');
    for (const [index, content] of done.entries())
      if (index < done.length - MAX_DONE || content.tail.offset() === 0) contents.delete(content);
  };

  return {
    // The steps are those of docs/decisions/0012-file-identity.md.
    sweep: async (found) => {
      const files = new Map(found.map((file) => [file.inode, file]));
      const others = () => {
        const own = new Set(inState('active').map(({ tail }) => tail.inode));
        return found.filter(({ inode }) => !own.has(inode));
      };
      for (const content of inState('active'))
        await sweepActive(content, files.get(content.tail.inode)).catch(() => {});
      // A writer may continue in a file that was renamed.
      for (const content of inState('rotated')) if (content.tail.isOpen()) await readOn(content).catch(() => {});
      if (!isFirst || stored !== undefined) await continueRotated(others());
      await searchOutside(files);
      const fault = await sweepOthers(others());
      forgetGone(files);
      isFirst = false;
      return others().length < found.length || found.some(({ inode }) => copies.has(inode)) ? undefined : fault;
    },
    positions: () => [...contents].map(({ tail }) => tail.position()),
    close: async () => {
      for (const { tail, state } of contents) {
        if (state === 'rotated' && tail.isOpen()) tail.flush(onLine);
        await tail.close();
      }
    },
  };
}
