import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Writes to `clone` what a fresh clone holds, with changes that are not committed yet. */
export function copyClone(clone: string): void {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter((one) => one !== '' && existsSync(root + one))) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(root + file, join(clone, file));
  }
}
