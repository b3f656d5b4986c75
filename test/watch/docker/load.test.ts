import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);

/** What a process prints that has the program's wiring and a link to an engine, before and after it inspects a container. */
const script = `
  import { createRequire } from 'node:module';
  import { createDockerLink } from './src/watch/docker/links.ts';
  import './src/daemon/app.ts';
  const { cache } = createRequire(import.meta.url);
  const isLoaded = () => Object.keys(cache).some((path) => path.includes('/dockerode/'));
  const link = createDockerLink(() => {});
  link.setAddress(undefined);
  const before = isLoaded();
  link.setAddress({ socketPath: '/nonexistent/docker.sock' });
  const { why } = await link.inspect({ name: 'n' }, 10_000);
  link.stop();
  console.log(JSON.stringify({ before, after: isLoaded(), code: why.code }));
`;

test('dockerode is loaded when a container is inspected, and not before', async () => {
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: fileURLToPath(root), timeout: 30_000 });
  expect(JSON.parse(stdout)).toEqual({ before: false, after: true, code: 'ENOENT' });
}, 40_000);
