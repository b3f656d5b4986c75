import { renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Copied, copySqlite, flush, refuse, refuseFile } from './copy-sqlite.ts';
import { makePrivateFile, removeDatabase, statOf } from './private-files.ts';

/** Why `file` is no place for a backup of the database at `path`. */
function findError(path: string, file: string): string | undefined {
  const folder = dirname(file);
  if (statOf(path) === undefined) return `there is no database at ${path}; correct SUBNETD_DATABASE_URL`;
  const there = statOf(folder);
  if (there === undefined) return `there is no folder ${folder}; create it`;
  if (!there.isDirectory()) return `${folder} is not a folder; name another`;
  return statOf(file) === undefined ? undefined : taken(file);
}

const taken = (file: string): string => `${file} already exists; choose another name, or delete it`;

/** Copies the database at `path` to the new file `file`, completely or not at all. Resolves to its size in bytes. */
export async function backupSqlite(path: string, file: string, signal: AbortSignal): Promise<Copied<number>> {
  try {
    const error = findError(path, file);
    if (error !== undefined) return refuse(error);
  } catch (error) {
    return refuseFile(file, error);
  }
  const part = `${file}.part-${process.pid}`;
  try {
    const copied = await copySqlite(path, part, { readOnly: false, signal });
    if (!copied.ok) return copied;
    // Reserves the name first, because a rename would replace an existing file.
    if (!makePrivateFile(file)) return refuse(taken(file));
    renameSync(part, file);
    flush(dirname(file));
    return copied;
  } catch (error) {
    return refuseFile(file, error);
  } finally {
    removeDatabase(part);
  }
}
