import {
  chmodSync,
  closeSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { toShellWord } from '../lib/words.ts';

/** The name of a database without a file. */
export const IN_MEMORY = ':memory:';

/** What distinguishes a file from another one with the same name later. */
export type FileIdentity = string;

const toIdentity = ({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): FileIdentity => `${dev}:${ino}`;

/** The current file with this name; undefined if there is none. */
export function identify(path: string): FileIdentity | undefined {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  return file && toIdentity(file);
}

/** The same, without blocking the event loop. */
export async function identifyLater(path: string): Promise<FileIdentity | undefined> {
  try {
    return toIdentity(await stat(path, { bigint: true }));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  }
}

/** The database file is not the one that was opened. */
export const lostFile = (path: string): Error =>
  Object.assign(new Error(`${path} was deleted or replaced while it was in use`), { code: 'DATABASE_FILE_LOST' });

/** The endings of a database's files; the empty one is the database itself. */
const SQLITE_FILES = ['', '-wal', '-shm', '-journal'] as const;

const OTHERS = 0o077;
const MAY_WRITE = 0o022;

/** What is at a path; undefined when nothing is. */
export const statOf = (path: string) => statSync(path, { throwIfNoEntry: false });
const octal = (mode: number) => (mode & 0o777).toString(8);

/** Removes the rights of other users; false if that failed, as for a file of another user. */
function restrict(path: string, mode: number): boolean {
  try {
    chmodSync(path, mode);
  } catch {
    return false;
  }
  return ((statOf(path)?.mode ?? 0) & OTHERS) === 0;
}

/** Does the folder belong to this user, hold nothing but this database, and is it not a mount point? */
function isOwnFolder(folder: string, name: string): boolean {
  const { uid, dev } = statSync(folder);
  const isOwn = new RegExp(`^${RegExp.escape(name)}(?:[-.]|$)`);
  return (
    uid === process.geteuid?.() &&
    dev === statSync(dirname(folder)).dev &&
    dirname(folder) !== folder &&
    readdirSync(folder).every((entry) => isOwn.test(entry))
  );
}

/**
 * Lets nobody but the owner read the database, whatever the umask: it holds the secret that signs tokens. Returns a
 * sentence for each file or folder that was open to other users. A folder that others use, too, stays as it is.
 */
export function restrictFiles(path: string): readonly string[] {
  const [folder, name] = [dirname(path), basename(path)];
  const warnings: string[] = [];
  const mode = statOf(folder)?.mode ?? 0;
  const narrowed: string[] = [];
  const open: string[] = [];
  const narrow = (target: string, was: number, to: number) =>
    (restrict(target, to) ? narrowed : open).push(`${target} (mode ${octal(was)})`);
  if ((mode & OTHERS) !== 0 && isOwnFolder(folder, name)) narrow(folder, mode, 0o700);
  else if ((mode & MAY_WRITE) !== 0)
    warnings.push(
      `other users can write to ${folder} (mode ${octal(mode)}) and can replace the database in it; move the database to a folder of its own, or run: chmod go-w ${toShellWord(folder)}`,
    );
  for (const end of SQLITE_FILES) {
    const file = statOf(`${path}${end}`);
    if (file !== undefined && (file.mode & OTHERS) !== 0) narrow(`${path}${end}`, file.mode, 0o600);
  }
  if (narrowed.length > 0)
    warnings.push(
      `other users could open ${narrowed.join(', ')} and read the secret that signs tokens; only the owner can now; if such users exist, set SUBNETD_JWT_SECRET to a new secret`,
    );
  if (open.length > 0)
    warnings.push(
      `other users can open ${open.join(', ')} and read the secret that signs tokens; as the owner, remove the permissions of others with chmod go=`,
    );
  return warnings;
}

/** Creates an empty file that only its owner may open; false if the file exists. */
export function makePrivateFile(path: string): boolean {
  try {
    const file = openSync(path, 'wx', 0o600);
    fchmodSync(file, 0o600);
    closeSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a database and SQLite's files beside it, if they exist. */
export function removeDatabase(path: string): void {
  for (const end of SQLITE_FILES) rmSync(`${path}${end}`, { force: true });
}

/** Creates the folder of a database, for the owner only, if it is missing. */
export const makeDatabaseFolder = (path: string): void =>
  void mkdirSync(dirname(path), { recursive: true, mode: 0o700 });

/**
 * Creates the file and its folder for the owner only, if they are missing. Returns the path without links, as SQLite
 * uses it. Throws when a folder or a device has that name.
 */
export function makeDatabaseFile(path: string): string {
  makeDatabaseFolder(path);
  if (!makePrivateFile(path) && statOf(path)?.isFile() === false)
    throw Object.assign(new Error(`${path} is not a file`), { code: 'DATABASE_NO_FILE' });
  try {
    return realpathSync(path);
  } catch {
    // A link without a target yet: SQLite creates the target.
    return join(realpathSync(dirname(path)), basename(path));
  }
}
