import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyClone } from '../support/copy-clone.ts';
import { bringNpm, findProgram, makePath, runWith, WITHIN_MS } from '../support/npm-machine.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

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

const works = (clone: string, path: string) => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(runWith(path, clone, 'bin/subnetd', ['version'])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`subnetd ${version}`),
  });
  // It opens a database, by a library that has a binary.
  const person = ['--user-name', 'u', '--first-name', 'F', '--last-name', 'L', '--email', 'u@example.com'];
  expect(runWith(path, clone, 'bin/subnetd', ['admin', 'create', ...person])).toMatchObject({ status: 0, stderr: '' });
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
      const npm = version === undefined ? { npm: findProgram('npm') } : bringNpm(folder, version);
      const path = makePath(folder, { ...npm, node: findProgram('node') });
      const { status, stdout, stderr } = runWith(path, clone, 'npm', ['ci']);
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
      const path = makePath(folder, { npm: findProgram('npm'), node });
      const { status, stderr } = runWith(path, clone, 'npm', ['ci', '--omit=dev', '--ignore-scripts']);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      for (const tool of ['node', 'vitest', '@biomejs/biome', '@grafana/grafana-foundation-sdk'])
        expect(existsSync(join(clone, 'node_modules', tool)), tool).toBe(false);
      works(clone, path);
      expect(runWith(path, clone, 'bin/subnetd', ['rules'])).toMatchObject({ status: 0, stderr: '' });
    },
    WITHIN_MS,
  );
});
