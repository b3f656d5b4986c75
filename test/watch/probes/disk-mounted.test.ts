import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDiskSource, readDisks } from '../../../src/watch/probes/disk-source.ts';
import { foldDisks } from '../../../src/watch/rules/fold-subnet.ts';
import { nodeTarget, settings } from '../../support/views.ts';

const MB = 2 ** 20;

/** A file system of so many megabytes, in memory. */
function mountSmallDisk(megabytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  onTestFinished(() => {
    execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

test('a small real disk is another than the one below it, and is full when a hundredth is free', async () => {
  const disk = mountSmallDisk(64);
  const data = join(disk, 'xdcchain1');
  mkdirSync(data);
  const folders = new Map([
    [data, ['n1']],
    [disk, ['n2']],
    [tmpdir(), ['n3']],
  ]);
  const read = async () => {
    const disks = await readDisks(folders);
    return { disks, small: disks.find(({ folder }) => folder === data) };
  };
  const empty = await read();
  expect(empty.disks.map(({ folder, targets }) => [folder, targets])).toEqual([
    [data, ['n1', 'n2']],
    [tmpdir(), ['n3']],
  ]);
  expect(empty.small?.total).toBe(64 * MB);

  writeFileSync(join(data, 'xdc.log'), Buffer.alloc(60 * MB));
  const { disks, small } = await read();
  expect((empty.small?.free ?? 0) - (small?.free ?? 0)).toBe(60 * MB);
  const before = foldDisks(undefined, { disks }, 0);
  expect(before[0]?.level).toBeUndefined();

  const logFiles = [{ path: join(data, 'xdc.log'), timezone: 'UTC' }];
  const subnet = { name: 'd', consensus: 'XDPoS', settings, targets: [nodeTarget('n1', { logFiles })] };
  const source = createDiskSource(subnet, [], () => undefined);
  expect((await source?.probe())?.againMs).toBeUndefined();
  writeFileSync(join(data, 'more.log'), Buffer.alloc((small?.free ?? 0) - MB / 2));
  expect(foldDisks(before, { disks: (await read()).disks }, 120_000)[0]?.level).toBe('full');
  // It is freed at once, and nobody is told for two minutes that it is full.
  expect((await source?.probe())?.againMs).toBe(4_000);
});
