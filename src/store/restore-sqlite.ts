import { chmodSync, chownSync, existsSync, linkSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { toShellWord } from '../lib/words.ts';
import { isBusy } from './busy.ts';
import { type Copied, copySqlite, flush, refuse, refuseFile } from './copy-sqlite.ts';
import { type FileIdentity, identify, makeDatabaseFolder, removeDatabase, statOf } from './private-files.ts';

/** What a restore left. */
export interface Restored {
  readonly bytes: number;
  /** Where the previous database is now; undefined when there was none. */
  readonly keptAs?: string;
  /** The file is damaged, so it is unknown whether a process has the previous database open. */
  readonly isUnsure: boolean;
}

/** Exclusive access to a database. */
type Hold =
  | { readonly who: 'others' }
  | { readonly who: 'nobody knows'; readonly release: () => void }
  | { readonly who: 'we'; readonly release: () => void };

/**
 * Locks the database for this process only, and merges its write-ahead log. A process that has it open, such as
 * subnetd, holds a shared lock; then this is refused.
 */
function takeAlone(path: string): Hold {
  const database = new Database(path, { fileMustExist: true, timeout: 0 });
  const release = () => void database.close();
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.pragma('journal_mode = DELETE');
    // A database that was restored and never opened since was already in that mode, and is locked only now.
    database.exec('begin exclusive');
    return { who: 'we', release };
  } catch (error) {
    if (!isBusy(error)) return { who: 'nobody knows', release };
    release();
    return { who: 'others' };
  }
}

/** Moves the logs of a damaged database with it, because SQLite would take them for logs of the new one. */
function moveLogs(path: string, keptAs: string): void {
  for (const end of ['-wal', '-journal'])
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${keptAs}${end}`);
  rmSync(`${path}-shm`, { force: true });
}

/** The name for the previous database, with the time. A second restore in the same second gets its own name. */
function nameKept(path: string, now: Date): string {
  const wanted = `${path}.before-${now.toISOString().replace(/[-:]|\.\d+/g, '')}`;
  let name = wanted;
  for (let number = 2; existsSync(name); number += 1) name = `${wanted}-${number}`;
  return name;
}

/** Gives the file to the owner of the database: root may restore for the user of subnetd. */
function giveTo(file: string, owner: { readonly uid: number; readonly gid: number }): void {
  if (process.geteuid?.() === 0) chownSync(file, owner.uid, owner.gid);
}

/**
 * Replaces the database with the backup `file`, and keeps the previous one beside it under another name. The last
 * step is one rename: before it the previous database is in place, after it the backup.
 */
export async function restoreSqlite(
  givenPath: string,
  file: string,
  now: Date,
  signal: AbortSignal,
): Promise<Copied<Restored>> {
  let path: string;
  let before: FileIdentity | undefined;
  try {
    const backup = statOf(file);
    if (backup === undefined) return refuse(`there is no file ${file}; correct the path`);
    if (!backup.isFile())
      return refuse(`${file} is not a file; name the backup${backup.isDirectory() ? ' in it' : ''}`);
    path = statOf(givenPath) === undefined ? givenPath : realpathSync(givenPath);
    before = identify(path);
    if (identify(file) === before) return refuse(`${file} is the database itself; name a backup`);
    makeDatabaseFolder(path);
  } catch (error) {
    return refuseFile(file, error);
  }
  const part = `${path}.part-${process.pid}`;
  let hold: Hold | undefined;
  const keptAs = nameKept(path, now);
  let isLinked = false;
  try {
    const copied = await copySqlite(file, part, { readOnly: true, signal });
    if (!copied.ok) return copied;
    const owner = statSync(before === undefined ? dirname(path) : path);
    giveTo(part, owner);
    if (before !== undefined) hold = takeAlone(path);
    if (hold?.who === 'others')
      return refuse(`a process has ${path} open; stop subnetd first (fuser ${toShellWord(path)} names the process)`);
    if (before !== undefined) {
      linkSync(path, keptAs);
      isLinked = true;
      chmodSync(keptAs, 0o600);
    }
    if (hold?.who !== 'we') moveLogs(path, keptAs);
    renameSync(part, path);
    isLinked = false;
    flush(dirname(path));
    const kept = before === undefined ? {} : { keptAs };
    return { ok: true, value: { bytes: copied.value, ...kept, isUnsure: hold?.who === 'nobody knows' } };
  } catch (error) {
    if (isLinked) rmSync(keptAs, { force: true });
    return refuseFile(path, error);
  } finally {
    if (hold !== undefined && hold.who !== 'others') hold.release();
    removeDatabase(part);
  }
}
