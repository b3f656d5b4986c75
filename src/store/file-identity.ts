import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

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
