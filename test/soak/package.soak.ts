import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bringNode, bringNpm, makePath, runWith, WITHIN_MS } from '../support/npm-machine.ts';
import { packClone } from '../support/pack-clone.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'package-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['9.2.0', '24'],
  ['10.9.4', '24'],
  ['11.6.0', '26'],
  ['12.2.2', '26'],
] as const)(
  'npm %s installs the package for Node.js %s without a compiler, and npx runs it',
  (npm, node) => {
    const tarball = packClone(folder);
    const path = makePath(folder, { ...bringNpm(folder, npm), node: bringNode(folder, node) });
    const words = ['install', '--global', '--prefix', join(folder, 'global'), tarball];
    expect(runWith(path, folder, 'npm', words)).toMatchObject({ status: 0 });
    const installed = runWith(path, folder, join(folder, 'global/bin/subnetd'), ['version']);
    expect(installed).toMatchObject({ status: 0, stdout: expect.stringContaining(`Node.js v${node}`) });
    // npx takes the path of a file for a package only when it begins with a dot.
    const npx = runWith(path, join(folder, 'packed'), 'npx', ['--yes', `./${tarball.split('/').at(-1)}`, 'version']);
    expect(npx).toMatchObject({ status: 0, stdout: installed.stdout });
  },
  4 * WITHIN_MS,
);
