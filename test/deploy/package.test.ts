import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { eventually } from '../support/cli.ts';
import { findProgram, makePath, runWith, WITHIN_MS } from '../support/npm-machine.ts';
import { commit, packClone } from '../support/pack-clone.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();
const root = fileURLToPath(new URL('../../', import.meta.url));
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const readPackages = (file: string): Readonly<Record<string, { readonly version: string }>> => readJson(file).packages;
const { version, dependencies } = readJson(join(root, 'package.json'));

const MIB = 2 ** 20;

/** Somebody who may write nothing of what is installed. */
const NOBODY = { uid: 65_534, gid: 65_534 } as const;

/** The names of what the built files import: libraries, and parts of Node.js. */
function listImports(program: string): ReadonlySet<string> {
  const texts = readdirSync(program).map((file) => readFileSync(join(program, file), 'utf8'));
  const found = texts.flatMap((text) => [
    ...text.matchAll(/^(?:import|export) (?:[^'"`;]* from )?["']([^."'][^"']*)["'];$/gm),
    ...text.matchAll(/\bimport\(["']([^."'][^"']*)["']\)/g),
  ]);
  return new Set(found.flatMap(([, name = '']) => (isBuiltin(name) ? [] : [name])));
}

// The soak test of the same name installs it by other versions of npm and Node.js.
it('the package needs no compiler and less than 120 MB, and works read-only', { timeout: WITHIN_MS }, async () => {
  mkdirSync(pathOf('.'), { recursive: true });
  chmodSync(pathOf('.'), 0o755);
  const tarball = packClone(pathOf('.'));
  expect(readJson(pathOf('clone/package.json')).dependencies).toEqual(dependencies);
  for (const made of ['COMMIT', 'npm-shrinkwrap.json']) expect(existsSync(pathOf(`clone/${made}`)), made).toBe(false);

  // What nobody may read in a clone, as one in a home, is copied.
  const node = pathOf('node');
  cpSync(join(root, 'node_modules/node/bin/node'), node);
  const path = makePath(pathOf('.'), { npm: findProgram('npm'), node });
  const installed = runWith(path, pathOf('.'), 'npm', ['install', '--global', '--prefix', pathOf('global'), tarball]);
  expect(installed, JSON.stringify(installed)).toMatchObject({ status: 0 });
  const bytes = Number(execFileSync('du', ['-sb', pathOf('global')], { encoding: 'utf8' }).split('\t')[0]);
  console.log(`the package takes ${(bytes / MIB).toFixed(0)} MB with its libraries`);
  expect(bytes).toBeLessThan(120 * MIB);

  const home = pathOf('global/lib/node_modules/subnetd');
  for (const left of ['src/main.ts', 'node_modules/typescript', 'node_modules/viem', 'node_modules/vitest'])
    expect(existsSync(join(home, left)), left).toBe(false);
  const firstHour = readFileSync(join(home, 'docs/first-hour.md'), 'utf8');
  for (const [, page = ''] of firstHour.matchAll(/\]\(([\w/-]+\.md)/g))
    expect(existsSync(join(home, 'docs', page)), page).toBe(true);
  expect(readJson(join(home, 'package.json'))).not.toHaveProperty('scripts');
  // Exactly the libraries that were tested, also where newer ones are out. npm takes those below another library from the registry.
  const locked = readPackages(join(root, 'package-lock.json'));
  const { '': _, ...libraries } = readPackages(join(home, 'npm-shrinkwrap.json'));
  expect(libraries).toEqual(Object.fromEntries(Object.keys(libraries).map((folder) => [folder, locked[folder]])));
  const there = Object.keys(libraries).filter((folder) => existsSync(join(home, folder)));
  expect(there.length).toBeGreaterThan(90);
  for (const folder of there.filter((one) => one.lastIndexOf('node_modules/') === 0))
    expect(readJson(join(home, folder, 'package.json')).version, folder).toBe(locked[folder]?.version);
  const imported = [...listImports(join(home, '.cache/program'))];
  expect(imported).toEqual(expect.arrayContaining(['hono', 'yaml', 'better-sqlite3']));
  const isMissing = (name: string) =>
    !existsSync(join(home, 'node_modules', ...name.split('/').slice(0, name.startsWith('@') ? 2 : 1)));
  expect(imported.filter(isMissing)).toEqual([]);

  const program = pathOf('global/bin/subnetd');
  const run = (...words: readonly string[]) => runWith(path, '/', program, words, NOBODY);
  const works = { status: 0, stderr: '' };
  expect(run('version')).toMatchObject({
    ...works,
    stdout: expect.stringContaining(`subnetd ${version}, commit ${commit.slice(0, 12)}, Node.js v26`),
  });
  expect(run('rules')).toMatchObject({ ...works, stdout: expect.stringContaining('SubnetHalted') });
  // These read files of the package.
  expect(run('dashboards', 'node')).toMatchObject(works);
  expect(run('explain', 'SubnetHalted')).toMatchObject(works);
  cpSync(`${root}test/fixtures/deployments/v2.0.0/wizard/generated`, pathOf('generated'), { recursive: true });
  const { status, stdout: inventory } = run('import', pathOf('generated'));
  expect({ status, inventory }).toEqual({ status: 0, inventory: expect.stringContaining('subnets:') });
  writeFileSync(pathOf('subnetd.yaml'), inventory);
  expect(run('check-config', pathOf('subnetd.yaml'))).toMatchObject({ status: 0 });

  const env = { HOME: '/nowhere', PATH: `${path}:${dirname(program)}` };
  const demo = spawn('subnetd', ['demo', '--listen', '127.0.0.1:0'], {
    ...{ env, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] },
    ...NOBODY,
  });
  const closed = once(demo, 'close');
  cleanups.push(() => demo.kill('SIGKILL'));
  let printed = '';
  demo.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
  });
  const url = await eventually(() => {
    const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(printed)?.[0];
    if (found === undefined) throw new Error(`no address yet: ${printed}`);
    return found;
  });
  await eventually(async () => {
    const status = (await (await fetch(`${url}status.json`)).json()) as {
      subnets: { headline: { sentence: string } }[];
    };
    expect(status.subnets[0]?.headline.sentence).toBe('demo is healthy: it can lose 1 more node');
  });
  for (const page of ['', '?kiosk', 'alerts/SubnetHalted', 'assets/style.css', 'docs', 'api/openapi.json', 'metrics'])
    expect((await fetch(`${url}${page}`)).status, page).toBe(200);
  demo.kill('SIGTERM');
  expect(await closed).toEqual([0, null]);
});
