import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { uniqueName } from '../support/containers.ts';
import { createDockerCli } from '../support/docker-cli.ts';
import { type Engine, useEngine } from '../support/engine.ts';

let folder: string;
let engine: Engine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'image-'));
  engine = await useEngine();
});
afterEach(async () => {
  await engine.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The sizes, times, owners and hashes of all files of each layer of a saved image, the lowest first. */
function listLayers(archive: string, to: string): readonly string[] {
  mkdirSync(to);
  execFileSync('tar', ['-xf', archive, '-C', to]);
  const [{ Layers }] = JSON.parse(readFileSync(join(to, 'manifest.json'), 'utf8')) as [{ Layers: readonly string[] }];
  const hash = 'sha256sum | cut -c 1-64 | tr "\\n" " "; echo "$TAR_MODE $TAR_UID $TAR_MTIME $TAR_FILENAME"';
  return Layers.map((layer) => {
    const words = ['-xf', join(to, layer), `--to-command=${hash}`];
    return execFileSync('tar', words, { encoding: 'utf8', maxBuffer: 2 ** 30 });
  });
}

it('two builds of a commit have the same files, down to their times, but for compiled code', async () => {
  const cli = createDockerCli(engine, folder);
  await cli.importBases();
  const images = [uniqueName('subnetd-test'), uniqueName('subnetd-test')] as const;
  const listed: (readonly string[])[] = [];
  for (const image of images) {
    await cli.build('--no-cache', '--tag', image);
    const archive = join(folder, `${image}.tar`);
    expect(await cli.docker('save', '--output', archive, image)).toMatchObject({ code: 0 });
    listed.push(listLayers(archive, join(folder, image)));
  }
  await cli.docker('image', 'rm', '--force', ...images);
  const [first = [], second = []] = listed;
  expect(first.length).toBeGreaterThan(3);
  // Node.js, the libraries, the program. Before them are the base and the layer that adds the user, with the time of the build.
  const copied = (layers: readonly string[]) => layers.slice(-4, -1).map((layer) => layer.split('\n'));
  expect(copied(second)).toEqual(copied(first));
  const names = (layers: readonly string[]) => layers.at(-1)?.replaceAll(/^\w+ /gm, '');
  expect(names(second)).toBe(names(first));
});
