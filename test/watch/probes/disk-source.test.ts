import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ContainerSetup } from '../../../src/model/setup.ts';
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
  const unread = () => undefined;
  expect(createDiskSource(bare as never, [], unread)).toBeUndefined();
  // An error in a log may be that of a full disk.
  expect(createDiskSource(bare as never, ['/'], unread)?.doubtedAfterMs()).toBe(4_000);
});

test('the folders that a container writes to and that of its engine are read once they are known, and no file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-mounts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'genesis.json'), '{}');
  const data = join(folder, 'xdcchain1');
  mkdirSync(data);
  const target = nodeTarget('a', { container: { name: 'a' } });
  const subnet = { name: 'd', consensus: 'XDPoS', settings, targets: [target] };
  const setup = { id: 'i', name: 'a', log: { driver: 'json-file', isReadable: true }, published: [], ports: {} };
  let known: ContainerSetup | undefined;
  const source = createDiskSource(subnet as never, [], () => known);
  const read = async () => (await source?.probe())?.seen.disks.map((disk) => [disk.folder, disk.targets]);
  known = { ...setup, folders: [join(folder, 'genesis.json'), data], engineRoot: folder };
  expect(await read()).toEqual([[data, ['a']]]);
  // The container was made again, with nothing of its own: its engine's folder is of nobody.
  known = { ...setup, folders: [], engineRoot: folder };
  expect(await read()).toEqual([[folder, []]]);
  // Its engine is elsewhere.
  known = setup;
  expect(await read()).toEqual([]);
});
