import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { describeCause } from '../lib/database-failure.ts';
import { whileBusy } from './busy.ts';
import { migrations } from './migrations.ts';
import { makePrivateFile } from './private-files.ts';

/** The result of copying or moving a database. A problem is a sentence with a remedy. */
export type Copied<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export const refuse = (problem: string) => ({ ok: false, problem }) as const;

const SYSTEM_REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'run this as a user who can read and write there, such as that of subnetd',
  EPERM: 'run this as a user who can read and write there, such as that of subnetd',
  EROFS: 'mount that disk read-write, or choose another place',
  ENOSPC: 'free space on that disk, or choose another place',
};

/** Names the file that the system refused, and what to do; `file` where the error names none. */
export function refuseFile(file: string, error: unknown) {
  const { code = 'unknown error', path = file } = error as NodeJS.ErrnoException;
  // The part of a copy is nothing that a person has named.
  const named = path.replace(/\.part-\d+$/, '');
  return refuse(`${named} cannot be opened (${code}); ${SYSTEM_REMEDIES[code] ?? 'correct the path'}`);
}

/** Flushes a file, or the names in a folder, to the disk. */
export function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Is the file complete, and a database of this or an older subnetd? If not: a sentence that begins with a verb. */
function findFault(database: Database.Database): string | undefined {
  const [first] = database.pragma('integrity_check(1)', { simple: false }) as readonly { integrity_check: string }[];
  if (first?.integrity_check !== 'ok') return 'is damaged; use another copy';
  if ((database.pragma('foreign_key_check') as readonly unknown[]).length > 0) return 'is damaged; use another copy';
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").pluck().all();
  const done = tables.includes('schema_migration')
    ? database.prepare('select name from schema_migration').pluck().all()
    : [];
  if (!done.includes(migrations[0]?.name)) return 'is not a subnetd database; correct the path';
  const newer = done.find((name) => !migrations.some((step) => step.name === name));
  return newer === undefined ? undefined : `was made by a newer subnetd (${newer}); install that one first`;
}

/** After as many pages of a copy, the event loop runs, so that a signal is seen. */
const PAGES_AT_ONCE = 100;

/**
 * Copies the database at `from` as it is at one moment, while others read and write it. The new file `to` is for its
 * owner only, complete without a write-ahead log, and flushed to the disk. Resolves to its size in bytes. A failure
 * is described as a fault of `from`; the caller removes what is left at `to`. `signal` ends it early.
 */
export async function copySqlite(
  from: string,
  to: string,
  { readOnly, signal }: { readonly readOnly: boolean; readonly signal: AbortSignal },
): Promise<Copied<number>> {
  makePrivateFile(to);
  try {
    const source = new Database(from, { readonly: readOnly, fileMustExist: true, timeout: 0 });
    try {
      // Within a transaction the copy sees one state. Without it, the copy starts again whenever another process
      // writes.
      await whileBusy(() => {
        if (!source.inTransaction) source.exec('begin');
        source.prepare('select count(*) from sqlite_schema').get();
      });
      await source.backup(to, {
        progress: () => {
          signal.throwIfAborted();
          return PAGES_AT_ONCE;
        },
      });
    } finally {
      source.close();
    }
    const copy = new Database(to, { fileMustExist: true, timeout: 0 });
    try {
      copy.pragma('journal_mode = DELETE');
      const fault = findFault(copy);
      if (fault !== undefined) return refuse(`${from} ${fault}`);
      const [pages, size] = ['page_count', 'page_size'].map((name) => Number(copy.pragma(name, { simple: true })));
      return { ok: true, value: Number(pages) * Number(size) };
    } finally {
      copy.close();
      flush(to);
    }
  } catch (error) {
    if (signal.aborted) return refuse('ended by a signal; nothing was copied');
    const { code, message } = describeCause(error);
    if (code === 'SQLITE_NOTADB') return refuse(`${from} is not a SQLite database; correct the path`);
    if (code?.startsWith('SQLITE_CORRUPT')) return refuse(`${from} is damaged; use another copy`);
    if (code === 'SQLITE_FULL' || code === 'ENOSPC')
      return refuse(`the disk of the folder ${dirname(to)} is full; free space on it, or choose another`);
    if (code?.startsWith('SQLITE_IOERR'))
      return refuse(
        `${from} cannot be copied into the folder ${dirname(to)} (${message}); free space on their disks, and check them`,
      );
    return refuse(
      `${from} cannot be copied into the folder ${dirname(to)} (${message}); run this as the user of subnetd, who can read and write there`,
    );
  }
}
