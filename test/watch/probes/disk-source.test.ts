import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDiskSource, readDisks } from '../../../src/watch/probes/disk-source.ts';
import { nodeTarget, serviceTarget, settings } from '../../support/views.ts';

test('a disk is read once, by the first folder on it, with all who have one there; what is not there is left out', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-disks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  for (const path of [one, two]) mkdirSync(path);
  const folders = new Map([
    [one, ['a']],
    [join(folder, 'none'), ['b']],
    [two, ['a', 'c']],
    ['/proc', ['d']],
  ]);
  const [disk, ...others] = await readDisks(folders, [folder]);
  expect(others).toEqual([]);
  expect(disk).toMatchObject({ folder: one, targets: ['a', 'c'] });
  expect(disk?.free).toBeGreaterThan(0);
  expect(disk?.total).toBeGreaterThan(disk?.free ?? 0);
});

test('nothing is read where the inventory names no folder of this machine and subnetd writes to none', () => {
  const subnet = { name: 'd', consensus: 'XDPoS', settings, targets: [nodeTarget('a'), serviceTarget('stats')] };
  const bare = { ...subnet, targets: [{ ...nodeTarget('a'), container: undefined, logFiles: [] }] };
  expect(createDiskSource(bare as never, [])).toBeUndefined();
  expect(createDiskSource(bare as never, ['/'])).toBeDefined();
});
