import { existsSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Copied, copySqlite, flush, refuse } from './copy-sqlite.ts';
import { makePrivateFile, removeDatabase } from './private-files.ts';

/** Copies the database at `path` to the new file `file`, completely or not at all. Resolves to its size in bytes. */
export async function backupSqlite(path: string, file: string, signal: AbortSignal): Promise<Copied<number>> {
  if (!existsSync(path)) return refuse(`there is no database at ${path}; correct SUBNETD_DATABASE_URL`);
  const taken = refuse(`${file} is there already; choose another name, or delete it`);
  if (existsSync(file)) return taken;
  const folder = dirname(file);
  const there = statSync(folder, { throwIfNoEntry: false });
  if (there === undefined) return refuse(`there is no folder ${folder}; make it`);
  if (!there.isDirectory()) return refuse(`${folder} is no folder; name another`);
  const part = `${file}.part-${process.pid}`;
  try {
    const copied = await copySqlite(path, part, { readOnly: false, signal });
    if (!copied.ok) return copied;
    // Reserves the name first, because a rename would replace an existing file.
    if (!makePrivateFile(file)) return taken;
    renameSync(part, file);
    flush(folder);
    return copied;
  } catch (error) {
    return refuse(`${file} cannot be written (${(error as NodeJS.ErrnoException).code}); choose another place`);
  } finally {
    removeDatabase(part);
  }
}
