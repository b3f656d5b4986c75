import type { FilePosition } from '../model/log.ts';
import type { ReadAt } from './content-marks.ts';
import type { OnLine } from './create-line-cutter.ts';
import type { OpenFiles } from './create-open-files.ts';
import { createTail, type Relation, type Tail } from './create-tail.ts';
import { HEAD_BYTES, lookInto } from './file-head.ts';
import { type FoundFile, isRelated } from './find-log-files.ts';

/** A file that holds what was read elsewhere; `size` of it has been compared with that. */
export interface Copy {
  readonly of: Tail;
  readonly size: number;
  readonly position: FilePosition;
  /** Since when it has this size and less than was read of a content that has ended; absent when it has all. */
  readonly shortSince?: number;
}

/** A content that a file holds, or begins as. */
export interface Related {
  readonly of: Tail;
  readonly relation: Exclude<Relation, 'none'>;
  readonly head: Buffer;
}

/** The contents of files that are known, each with how far it was read. */
export interface Contents {
  /** Those whose file is there, or was until just now, by inode. */
  readonly alive: Map<string, Tail>;
  /** By inode. */
  readonly copies: Map<string, Copy>;
  isAlive(tail: Tail): boolean;
  /** Its file holds another content now, or has gone: its rest is looked for. */
  end(tail: Tail): Promise<void>;
  /** Nothing more can come. */
  settle(tail: Tail): void;
  /** The rest was found. */
  isSettled(tail: Tail): boolean;
  /** It is read from its own file again, if that could be opened. */
  revive(tail: Tail): void;
  /** Those that have ended, the last one first. */
  ended(): readonly Tail[];
  /** Those whose rest is still looked for; settles what was looked for long enough, and forgets what has long gone. */
  sought(): readonly Tail[];
  /** Its rest is read from another file now. */
  replace(tail: Tail): void;
  /** The content that a file holds, the one that was read furthest. Rejects when the file cannot be read. */
  relate(file: FoundFile): Promise<Related | undefined>;
  /** The same of a file that is read in another way. */
  relateTo(file: FoundFile, readAt: ReadAt): Promise<Related | undefined>;
  positions(): readonly FilePosition[];
}

const SEEK_MS = 60_000;

/** So many contents are known of which no file is left: one may be put back, as from a backup. */
const MAX_GONE = 16;

/** The contents that were stored, all looked for; `tell` gets a line that did not end. */
export function createContents(
  stored: readonly FilePosition[],
  tell: OnLine,
  files: OpenFiles,
  readNow: () => number,
): Contents {
  const alive = new Map<string, Tail>();
  const copies = new Map<string, Copy>();
  /** Until when its rest is looked for: 0 when it was found. */
  const ended = new Map<Tail, number>();
  for (const position of stored)
    ended.set(createTail(position.path, position.inode, position.offset, position, files), readNow() + SEEK_MS);

  const isAlive = (tail: Tail): boolean => alive.get(tail.inode) === tail;
  const lastFirst = (): readonly Tail[] => [...ended.keys()].reverse();
  const settle = (tail: Tail) => {
    tail.flush(tell);
    ended.set(tail, 0);
  };
  const relateTo = async (file: FoundFile, readAt: ReadAt): Promise<Related | undefined> => {
    const head = await readAt(0, HEAD_BYTES);
    const all = new Set([...lastFirst(), ...[...copies.values()].map(({ of }) => of), ...alive.values()]);
    let best: Related | undefined;
    for (const of of all) {
      const isOwn = of.inode === file.inode;
      if (of.offset() === 0 || !(isOwn || isRelated(of.path, file.path)) || !of.beginsLike(head)) continue;
      const relation = await of.compare(readAt, file.size);
      if (relation === 'none') continue;
      // What is a part of one that was read further holds nothing new, even if another ended before it.
      const further = of.offset() - (best?.of.offset() ?? -1);
      if (further > 0 || (further === 0 && isOwn)) best = { of, relation, head };
    }
    return best;
  };
  return {
    alive,
    copies,
    isAlive,
    end: async (tail) => {
      alive.delete(tail.inode);
      ended.set(tail, readNow() + SEEK_MS);
      await tail.close();
    },
    settle,
    isSettled: (tail) => ended.get(tail) === 0,
    revive: (tail) => void (isAlive(tail) && ended.delete(tail)),
    ended: lastFirst,
    sought: () => {
      const now = readNow();
      for (const [tail, until] of ended) if (until !== 0 && until < now) settle(tail);
      const copied = new Set([...copies.values()].map(({ of }) => of));
      const gone = [...ended].filter(([tail, until]) => until === 0 && !copied.has(tail));
      for (const [tail] of gone.slice(0, -MAX_GONE)) ended.delete(tail);
      return [...ended].filter(([, until]) => until !== 0).map(([tail]) => tail);
    },
    replace: (tail) => void ended.delete(tail),
    relate: (file) => files.use(() => lookInto(file, (readAt) => relateTo(file, readAt))),
    relateTo,
    positions: () => [
      ...[...new Set([...alive.values(), ...ended.keys()])].map((tail) => tail.position()),
      // One whose original is still there is compared again.
      ...[...copies.values()].filter(({ of }) => !isAlive(of)).map(({ position }) => position),
    ],
  };
}
