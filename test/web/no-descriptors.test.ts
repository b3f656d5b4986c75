import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { hash } from 'bcrypt';
import { expect, it } from 'vitest';
import { useCleanups } from '../support/use-cleanups.ts';

const run = promisify(execFile);
const { pathOf } = useCleanups();
const script = new URL('../support/check-without-descriptors.ts', import.meta.url).pathname;

it('a lack of file descriptors at the first passwords ends with the lack', async () => {
  const path = pathOf('web.yaml');
  writeFileSync(path, `basic_auth_users: { grace: '${await hash('right', 4)}' }\n`);
  const limited = ['-c', 'ulimit -n 200; exec "$0" "$@"', process.execPath, script, path, 'grace', 'right'];
  const { stdout } = await run('bash', limited);
  // The last word is of a user who does not exist.
  expect(stdout).toBe('failed\ntrue false\n');
});
