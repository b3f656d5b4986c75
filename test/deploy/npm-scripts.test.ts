import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const root = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

// npm runs a script by `sh -c` and sends SIGTERM to that shell only. What goes on behind it would keep its output open.
test.each([
  { name: 'start', more: (config: string) => `--config ${config} --listen 127.0.0.1:0` },
  { name: 'demo', more: () => '--config-only' },
])('the program of `npm run $name` ends with its shell', async ({ name, more }) => {
  const config = pathOf('subnetd.yaml');
  writeFileSync(config, "subnets: [{ name: d, nodes: [{ name: n, rpc: 'http://127.0.0.1:1' }] }]\n");
  const child = spawn('sh', ['-c', `${scripts[name]} ${more(config)}`], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SUBNETD_DATABASE_URL: `sqlite:${pathOf('subnetd.db')}` },
  });
  cleanups.push(() => child.kill('SIGKILL'));
  const closed = once(child, 'close');
  await once(child.stdout, 'data');
  child.stdout.resume();
  child.kill('SIGTERM');
  expect((await closed)[1]).toBeNull();
});
