import type { Stats } from 'node:fs';
import { glob, readdir, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { LogFault } from '../../../model/log.ts';

/** A file on disk. */
export interface FoundFile {
  readonly path: string;
  readonly inode: string;
  readonly size: number;
  /** Unix milliseconds. */
  readonly writtenAt: number;
}

/** The files of a path or a glob. */
export type FoundFiles =
  | { readonly ok: true; readonly files: readonly FoundFile[] }
  | { readonly ok: false; readonly fault: LogFault };

/** Never read as text; see `readCopy` for gzip. */
const PACKED = /\.(?:gz|bz2|xz|zst|zip)$/;

const isGlob = (path: string): boolean => /[*?[{]/.test(path);

/** Device and inode, which survive a rename. */
export const inodeOf = ({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string => `${dev}:${ino}`;

/** Maps a file system error to the fault of a log. */
export const toFault = (error: unknown): LogFault => {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EMFILE' || code === 'ENFILE') return { what: 'no-descriptor' };
  return { what: code === 'EACCES' || code === 'EPERM' ? 'denied' : 'missing' };
};

async function findFile(path: string): Promise<FoundFile | LogFault> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return { what: 'not-a-file' };
    return { path, inode: inodeOf(found), size: found.size, writtenAt: found.mtimeMs };
  } catch (error) {
    return toFault(error);
  }
}

const isFile = (found: FoundFile | LogFault): found is FoundFile => 'inode' in found;

async function expand(path: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const match of glob(path)) if (!PACKED.test(match)) paths.push(match);
  return paths.sort();
}

/** Expands a glob as often as it is called. It searches again only when the folder of the files has other names in it than before. */
function createExpansion(path: string): () => Promise<readonly string[]> {
  if (!isGlob(path)) return async () => [path];
  const folder = dirname(path);
  if (isGlob(folder) || /\*\*|\\/.test(path)) return () => expand(path);
  let known: { readonly names: string; readonly paths: readonly string[] } | undefined;
  return async () => {
    const names = await readdir(folder).catch(() => undefined);
    if (names === undefined) return expand(path);
    const all = names.join(sep);
    if (known?.names !== all) known = { names: all, paths: await expand(path) };
    return known.paths;
  };
}

/** Finds each file of a path or a glob once, last written last, without packed ones, as often as it is called. Never rejects. */
export function createLogFinder(path: string): () => Promise<FoundFiles> {
  const findPaths = createExpansion(path);
  return async () => {
    let paths: readonly string[];
    try {
      paths = await findPaths();
    } catch (error) {
      return { ok: false, fault: toFault(error) };
    }
    const found = await Promise.all(paths.map(findFile));
    const files = new Map(found.filter(isFile).map((file) => [file.inode, file]));
    const fault = found.find((file) => !isFile(file)) as LogFault | undefined;
    if (files.size === 0) return { ok: false, fault: fault ?? { what: 'missing' } };
    return { ok: true, files: [...files.values()].sort((a, b) => a.writtenAt - b.writtenAt) };
  };
}

/** The same, once. */
export const findLogFiles = (path: string): Promise<FoundFiles> => createLogFinder(path)();

/** Could rotation have made one path from the other? It keeps the folder and the name up to the last dot. */
export function isRelated(path: string, other: string): boolean {
  const folder = path.lastIndexOf(sep);
  if (other.lastIndexOf(sep) !== folder) return false;
  const dot = path.lastIndexOf('.');
  const stem = dot > folder + 1 ? dot : path.length;
  return other.startsWith(path.slice(0, stem)) && !/[a-z0-9]/i.test(other[stem] ?? '');
}

/** The files that rotation may have made from one: renamed, copied or packed. Never rejects. */
export async function findRelated(path: string): Promise<readonly FoundFile[]> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  const paths = names.map((name) => join(folder, name)).filter((other) => isRelated(path, other));
  return (await Promise.all(paths.map(findFile))).filter(isFile);
}
