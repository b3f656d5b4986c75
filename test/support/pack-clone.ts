import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyClone } from './copy-clone.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The commit that it is told to be of. */
export const commit = '0123456789abcdef0123456789abcdef01234567';

/** The tarball that `npm pack` makes of this tree, in a folder of the test's own, as packing changes package.json for a moment. */
export function packClone(folder: string): string {
  const clone = join(folder, 'clone');
  copyClone(clone);
  symlinkSync(`${root}node_modules`, join(clone, 'node_modules'));
  mkdirSync(join(folder, 'packed'));
  const words = ['pack', '--silent', '--pack-destination', join(folder, 'packed')];
  const env = { ...process.env, COMMIT: commit };
  return join(folder, 'packed', execFileSync('npm', words, { cwd: clone, encoding: 'utf8', env }).trim());
}
