import { glob, stat } from 'node:fs/promises';
import type { LogFault } from '../model/log.ts';

/** A file that is there now. */
export interface FoundFile {
  readonly path: string;
  /** Device and inode: what stays the same when a file is renamed. */
  readonly inode: string;
  readonly size: number;
}

/** What a path or a glob leads to. */
export type FoundFiles =
  | { readonly ok: true; readonly files: readonly FoundFile[] }
  | { readonly ok: false; readonly fault: LogFault };

/** Yesterday's log, packed: its lines were read while it was not. */
const PACKED = /\.(?:gz|bz2|xz|zst|zip)$/;

const isGlob = (path: string): boolean => /[*?[{]/.test(path);

const toFault = (error: unknown): LogFault => {
  const { code } = error as NodeJS.ErrnoException;
  return { what: code === 'EACCES' || code === 'EPERM' ? 'denied' : 'missing' };
};

/** One file by its path; a fault when it is none. */
export async function findFile(path: string): Promise<FoundFile | LogFault> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return { what: 'not-a-file' };
    return { path, inode: `${found.dev}:${found.ino}`, size: found.size };
  } catch (error) {
    return toFault(error);
  }
}

/** The files that a path or a glob leads to, in the order of their names, without packed ones. Never rejects. */
export async function findLogFiles(path: string): Promise<FoundFiles> {
  const paths: string[] = [];
  try {
    if (!isGlob(path)) paths.push(path);
    else for await (const match of glob(path)) if (!PACKED.test(match)) paths.push(match);
  } catch (error) {
    return { ok: false, fault: toFault(error) };
  }
  const found = await Promise.all(paths.sort().map(findFile));
  const files = found.filter((file) => 'inode' in file);
  const fault = found.find((file) => 'what' in file);
  return files.length === 0 ? { ok: false, fault: fault ?? { what: 'missing' } } : { ok: true, files };
}
