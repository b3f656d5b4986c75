import { createHash } from 'node:crypto';
import type { Inventory } from '../../model/target.ts';
import { type CheckMore, formatInventoryError, type InventoryError, parseInventory } from './parse-inventory.ts';
import { readText } from './read-text.ts';
import type { Environment } from './substitute.ts';

/** An inventory read from a file, with a hash of its text, or one line of text for each error. */
export type ReadInventory =
  | { readonly ok: true; readonly inventory: Inventory; readonly text: string; readonly hash: number }
  | {
      readonly ok: false;
      readonly errors: readonly string[];
      readonly inventoryErrors: readonly InventoryError[];
      readonly text?: string;
    };

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist; create it with "subnetd import DIR", name another one, or try "subnetd demo"',
  EACCES: 'subnetd has no permission to read it; change its owner or mode',
  EISDIR: 'it is a directory; name the file in it',
  ETIMEDOUT: 'it is a pipe without a writer or without an end; name a file',
};

/** As many bytes of a hash as a metric shows exactly. */
const HASH_BYTES = 6;

const toHash = (text: string): number => createHash('sha256').update(text).digest().readUIntBE(0, HASH_BYTES);

/** Reads and checks an inventory file, and with `checkMore` also what a good one names. `read` gives the text of the file. */
export async function readInventory(
  path: string,
  environment: Environment,
  checkMore?: CheckMore,
  read: (path: string) => Promise<string> = readText,
): Promise<ReadInventory> {
  const refuse = (inventoryErrors: readonly InventoryError[]) => ({
    ok: false as const,
    inventoryErrors,
    errors: inventoryErrors.map((error) => formatInventoryError(path, error)),
  });
  const unreadable = (what: string) => refuse([{ line: 1, column: 1, path: '', what }]);
  let text: string;
  try {
    text = await read(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    if (code === 'EFBIG') return unreadable('it is larger than 16 MiB, which is too large for an inventory');
    return unreadable(`cannot be read (${code}): ${WHY[code] ?? 'check the path'}`);
  }
  const parsed = parseInventory(text, environment, checkMore);
  return parsed.ok
    ? { ok: true, inventory: parsed.inventory, text, hash: toHash(text) }
    : { ...refuse(parsed.errors), text };
}
