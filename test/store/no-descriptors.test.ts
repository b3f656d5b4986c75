import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { useCleanups } from '../support/use-cleanups.ts';

const run = promisify(execFile);
const { pathOf } = useCleanups();
const script = new URL('../support/open-without-descriptors.ts', import.meta.url).pathname;

it('a lack of file descriptors at the first request of the platform API ends with the lack', async () => {
  const limited = ['-c', 'ulimit -n 200; exec "$0" "$@"', process.execPath, script, pathOf('subnetd.db')];
  const { stdout } = await run('bash', limited);
  expect(stdout).toBe('EMFILE\nopened\n');
});
