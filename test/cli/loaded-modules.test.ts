import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually, startDaemon } from '../support/cli.ts';
import { startNode } from '../support/fake-node.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

/** What a daemon needs that polls nodes and has not been asked by a client of the platform API. */
const PACKAGES = [
  '@hono/node-server',
  'better-sqlite3',
  'commander',
  'hono',
  'node-cron',
  'pino',
  'prom-client',
  'undici',
  'yaml',
  'zod',
];

const recorder = fileURLToPath(new URL('../support/record-modules.ts', import.meta.url));

/** The paths below `node_modules` of all modules that a daemon loads until it is stopped after its first round. */
async function modulesOfARun(moreOfNode: string): Promise<readonly string[]> {
  const node = await startNode();
  cleanups.push(node.stop);
  writeFileSync(
    pathOf('subnetd.yaml'),
    `subnets: [{ name: d, nodes: [{ name: n, rpc: '${node.url}', ${moreOfNode} }] }]\ndocker: { socketPath: '${pathOf('none.sock')}' }\n`,
  );
  const daemon = await startDaemon(pathOf('subnetd.yaml'), {
    NODE_OPTIONS: `--import=${recorder}`,
    LOADED_MODULES: pathOf('modules'),
  });
  cleanups.push(() => daemon.child.kill('SIGKILL'));
  await daemon.waitFor(/the database answers/);
  await eventually(async () => expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200));
  await eventually(async () =>
    expect(await (await fetch(`${daemon.url}/status.json`)).text()).not.toContain('not run'),
  );
  daemon.child.kill('SIGTERM');
  expect((await daemon.finished).code).toBe(0);
  return readFileSync(pathOf('modules'), 'utf8')
    .split('\n')
    .flatMap((url) => /\/node_modules\/(.*)$/.exec(url)?.[1] ?? []);
}

const packagesOf = (modules: readonly string[]): readonly string[] => [
  ...new Set(modules.map((path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? '')),
];

test('a daemon that polls nodes loads its packages in part, and none that it does not use', async () => {
  const modules = await modulesOfARun('');
  expect(modules).toContain('undici/lib/llhttp/llhttp_simd-wasm.js');
  expect(modules).not.toContain('undici/lib/dispatcher/client.js');
  expect(modules).toContain('better-sqlite3/lib/index.js');
  expect(modules).not.toContain('prom-client/index.js');
  expect(modules.filter((path) => /^undici\/(index\.js|lib\/web\/fetch\/index\.js)$/.test(path))).toEqual([]);
  // Those of package.json: dockerode, the browser and the rest come when they are needed.
  expect(
    packagesOf(modules)
      .filter((name) => name in dependencies)
      .toSorted(),
  ).toEqual(PACKAGES);
}, 60_000);

test('a daemon that names a container loads dockerode, and nothing else of package.json', async () => {
  const packages = packagesOf(await modulesOfARun('container: { name: c }'));
  // Dockerode loads ssh2 itself, for engines on other machines.
  expect(packages.filter((name) => name in dependencies).toSorted()).toEqual(
    [...PACKAGES, 'dockerode', 'ssh2'].toSorted(),
  );
}, 60_000);
