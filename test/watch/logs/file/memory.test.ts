import { appendFile, copyFile, rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { collectGarbage } from '../../../../src/lib/process.ts';
import { createFileSet } from '../../../../src/watch/logs/file/create-file-set.ts';
import { findLogFiles } from '../../../../src/watch/logs/file/find-log-files.ts';
import { createLogReader } from '../../../../src/watch/logs/match/create-log-reader.ts';
import { bootnodePack } from '../../../../src/watch/logs/packs/bootnode-pack.ts';
import { follow, numbered } from '../../../support/follow.ts';
import { useFolder } from '../../../support/recordings.ts';

/** Reads the files of a glob whenever it is asked to, at the time that it is given. */
function readOf(pattern: string) {
  const lines: string[] = [];
  const clock = { now: 0 };
  const set = createFileSet({
    lookBackBytes: 0,
    onLine: (text, start, end) => void lines.push(text.slice(start, end)),
    shouldContinue: () => true,
    now: () => clock.now,
  });
  const sweep = async (laterMs = 0) => {
    clock.now += laterMs;
    const found = await findLogFiles(pattern);
    await set.sweep(found.ok ? found.files : []);
  };
  return { set, lines, sweep };
}

test('a line of 100 MB is cut, the lines around it are whole, and it is never held in memory', async () => {
  const path = join(useFolder(), 'a.log');
  await writeFile(path, '');
  const { lines, begun, has } = follow(path);
  await begun;
  const piece = Buffer.alloc(1024 * 1024, 'x');
  await appendFile(path, 'before\n');
  const memory = process.memoryUsage().rss;
  for (let index = 0; index < 100; index++) await appendFile(path, piece);
  await appendFile(path, '\nafter\n');
  await has(3);
  expect(lines.map((line) => line.length)).toEqual([6, 65_536, 5]);
  expect(process.memoryUsage().rss - memory).toBeLessThan(80 * 1024 * 1024);
});

test('of a log that was rotated away fifty times, the contents that went last are known', async () => {
  const path = join(useFolder(), 'a.log');
  const { set, lines, sweep } = readOf(path);
  await writeFile(path, '');
  await sweep();
  for (let rotation = 0; rotation < 50; rotation++) {
    await appendFile(path, `line ${rotation}\n`);
    await sweep();
    await rename(path, `${path}.1`);
    await writeFile(path, '');
    await sweep();
    // A writer continues in a renamed file for a while.
    await sweep(31_000);
    await sweep(1_000);
  }
  expect(lines).toEqual(numbered(0, 50));
  // With the one that is there.
  expect(set.positions()).toHaveLength(17);
  await set.close();
});

test('a content that has gone is known as long as a copy of it is there', async () => {
  const path = join(useFolder(), 'a.log');
  const { set, lines, sweep } = readOf(`${path}*`);
  await writeFile(path, '');
  await sweep();
  for (let rotation = 0; rotation < 20; rotation++) {
    await appendFile(path, `line ${rotation}\n`);
    await sweep();
    await copyFile(path, `${path}.${rotation}`);
    await sweep();
    await truncate(path);
    await sweep();
    await sweep(61_000);
  }
  expect(lines).toEqual(numbered(0, 20));
  // Each content, and what the file holds now.
  expect(set.positions()).toHaveLength(21);
  await set.close();
});

test('a hundred logs that are followed keep the bytes by which they are known, and no slabs around them', async () => {
  const folder = useFolder();
  const { set, sweep } = readOf(join(folder, '*.log'));
  const paths = Array.from({ length: 100 }, (_, index) => join(folder, `n${index}.log`));
  for (const path of paths) await writeFile(path, '');
  await sweep();
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  for (const [index, path] of paths.entries()) await appendFile(path, `the first line of n${index}\n`.repeat(20));
  const others: Buffer[] = [];
  // What others take of a slab between two files.
  const read = sweep().then(() => undefined);
  for (let done = false; !done; ) {
    others.push(Buffer.allocUnsafe(2_048));
    done = await Promise.race([read.then(() => true), new Promise<boolean>((go) => setImmediate(() => go(false)))]);
  }
  others.length = 0;
  // What was collected is given back a moment later.
  await vi.waitFor(
    () => {
      collectGarbage();
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * 1024 * 1024);
    },
    { timeout: 30_000, interval: 50 },
  );
  await set.close();
});

test('forty logs that are read at once share a few buffers', async () => {
  const folder = useFolder();
  const paths = Array.from({ length: 40 }, (_, index) => join(folder, `n${index}.log`));
  for (const path of paths) await writeFile(path, '');
  const readers = paths.map(readOf);
  onTestFinished(async () => {
    for (const { set } of readers) await set.close();
  });
  for (const { sweep } of readers) await sweep();
  for (const path of paths) await appendFile(path, 'line 0\n');
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  await Promise.all(readers.map(({ sweep }) => sweep()));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 1024 * 1024);
  expect(readers.map(({ lines }) => lines)).toEqual(paths.map(() => ['line 0']));
});

test('the value of a line keeps no more of the log in memory', () => {
  const addresses: string[] = [];
  const reader = createLogReader({
    pack: bootnodePack,
    own: [],
    timezone: 'Etc/UTC',
    now: () => 0,
    onHit: ({ value = '' }) => void addresses.push(value),
  });
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let chunk = 0; chunk < 100; chunk++) {
    const line = `TRACE[11-22|09:00:00.000] << PING XDC/v4 addr=192.168.100.${chunk}:30303 err=nil`;
    // As a chunk of a file is read, with other lines behind.
    const text = Buffer.from(`${line}\n${'x'.repeat(256 * 1024)}`).toString('latin1');
    reader.read(text, 0, line.length);
  }
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5 * 1024 * 1024);
  expect(addresses).toEqual(Array.from({ length: 100 }, (_, chunk) => `192.168.100.${chunk}:30303`));
});
