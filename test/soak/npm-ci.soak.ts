import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyClone } from '../support/copy-clone.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const WITHIN_MS = 300_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'npm-ci-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function makeClone(): string {
  const clone = join(folder, 'clone');
  copyClone(clone);
  return clone;
}

const find = (program: string) => execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();

/** A machine with these programs and no compiler or Python. */
function makePath(programs: Readonly<Record<string, string>>): string {
  const path = join(folder, 'bin');
  mkdirSync(path);
  const usual = ['sh', 'env', 'tar', 'cat', 'ls', 'mkdir', 'rm', 'ln', 'cp', 'mv', 'chmod', 'uname', 'readlink'];
  const all = { ...Object.fromEntries(usual.map((name) => [name, find(name)])), ...programs };
  for (const [name, target] of Object.entries(all)) symlinkSync(target, join(path, name));
  return path;
}

/** npm of a version as a program; without one, this machine's. */
function bringNpm(version: string | undefined): string {
  if (version === undefined) return find('npm');
  const packed = execFileSync('npm', ['pack', `npm@${version}`, '--silent', '--pack-destination', folder], {
    encoding: 'utf8',
  });
  execFileSync('tar', ['-xzf', join(folder, packed.trim()), '-C', folder]);
  const program = join(folder, 'npm');
  writeFileSync(program, `#!/bin/sh\nexec node ${folder}/package/bin/npm-cli.js "$@"\n`, { mode: 0o755 });
  return program;
}

function run(command: string, words: readonly string[], cwd: string, path: string) {
  const env = { HOME: process.env.HOME, PATH: path, npm_config_prefer_offline: 'true' };
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, env, encoding: 'utf8', timeout: WITHIN_MS });
  return { status, stdout, stderr };
}

const works = (clone: string, path: string) => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(run('bin/subnetd', ['version'], clone, path)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`subnetd ${version}`),
  });
  // It opens a database, by a library that has a binary.
  const person = ['--user-name', 'u', '--first-name', 'F', '--last-name', 'L', '--email', 'u@example.com'];
  expect(run('bin/subnetd', ['admin', 'create', ...person], clone, path)).toMatchObject({ status: 0, stderr: '' });
};

describe('npm ci in a fresh clone, on a machine without a compiler', () => {
  // Debian 12 and 13 bring 9.2.0, Node.js 20 and 22 the next two.
  it.each([
    ['npm 9.2.0', '9.2.0'],
    ['npm 10.8.2', '10.8.2'],
    ['npm 10.9.4', '10.9.4'],
    ['the npm of this machine', undefined],
  ])(
    'by %s says nothing alarming and brings all that subnetd needs',
    (_, version) => {
      const clone = makeClone();
      const path = makePath({ npm: bringNpm(version), node: find('node') });
      const { status, stdout, stderr } = run('npm', ['ci'], clone, path);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout.trim()).toMatch(/^added \d+ packages in \S+$/);
      works(clone, path);
    },
    WITHIN_MS,
  );

  it(
    'without dev packages and without any script gives a subnetd that runs on the machine’s own Node.js',
    () => {
      const clone = makeClone();
      const node = join(root, 'node_modules/node/bin/node');
      const path = makePath({ npm: bringNpm(undefined), node });
      const { status, stderr } = run('npm', ['ci', '--omit=dev', '--ignore-scripts'], clone, path);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      for (const tool of ['node', 'vitest', '@biomejs/biome', '@grafana/grafana-foundation-sdk'])
        expect(existsSync(join(clone, 'node_modules', tool)), tool).toBe(false);
      works(clone, path);
      expect(run('bin/subnetd', ['rules'], clone, path)).toMatchObject({ status: 0, stderr: '' });
    },
    WITHIN_MS,
  );
});
