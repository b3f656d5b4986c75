import { readdirSync, readlinkSync } from 'node:fs';
import { appendFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createFileSet } from '../../../../src/watch/logs/file/create-file-set.ts';
import { findLogFiles } from '../../../../src/watch/logs/file/find-log-files.ts';
import { createOpenFiles } from '../../../../src/watch/logs/file/open-files.ts';
import { createMemoryPositions } from '../../../../src/watch/monitor/create-kept-values.ts';
import { follow, numbered } from '../../../support/follow.ts';
import { useFolder } from '../../../support/recordings.ts';

/** How many descriptors this process has open on what is in a folder. */
const openIn = (folder: string): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(`${folder}/`);
    } catch {
      return false;
    }
  }).length;

async function followMany(count: number, max: number) {
  const folder = useFolder();
  const paths = Array.from({ length: count }, (_, index) => join(folder, `n${index}.log`));
  await Promise.all(paths.map((path, index) => writeFile(path, `the first line of n${index}\n`)));
  const follower = follow(join(folder, '*.log'), createMemoryPositions(), 0, createOpenFiles(max));
  await follower.begun;
  return { folder, paths, ...follower };
}

test('a hundred files stay within the limit of descriptors, and each line is reported once', async () => {
  const { folder, paths, lines, has } = await followMany(100, 16);
  let most = openIn(folder);
  for (let round = 0; round < 3; round++) {
    await Promise.all(paths.map((path, index) => appendFile(path, `line ${100 * round + index}\n`)));
    await has(100 * (round + 1));
    most = Math.max(most, openIn(folder));
  }
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(16);
  expect(lines.toSorted()).toEqual(numbered(0, 300).toSorted());
});

test('a file that is renamed while it is closed is read on, and what takes its name from the beginning', async () => {
  const { paths, lines, has } = await followMany(20, 2);
  const [first = ''] = paths;
  await appendFile(first, 'line 0\n');
  await has(1);
  // Others push it out.
  await Promise.all(paths.slice(1).map((path, index) => appendFile(path, `line ${1 + index}\n`)));
  await has(20);
  await appendFile(first, 'line 20\n');
  await rename(first, `${first}.1`);
  await writeFile(first, 'line 21\n');
  await has(22);
  expect(lines.toSorted()).toEqual(numbered(0, 22).toSorted());
});

test('a file whose number a new one has taken while it was closed is not taken for it', async () => {
  const { paths, lines, has } = await followMany(20, 2);
  const [first = ''] = paths;
  await Promise.all(paths.slice(1).map((path, index) => appendFile(path, `line ${index}\n`)));
  await has(19);
  // The file system often gives the number of the removed file to the next one.
  await rm(first);
  await writeFile(first, 'line 19, the first of another log, which is longer than what was read of the one before\n');
  await has(20);
  expect(lines.at(-1)).toContain('the first of another log');
});

test('of more readers than there are places each has its turn', async () => {
  const files = createOpenFiles(2);
  let busy = 0;
  let most = 0;
  const done = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      files
        .use(async () => {
          most = Math.max(most, ++busy);
          await new Promise(setImmediate);
          busy--;
          if (index === 7) throw new Error('broken');
          return index;
        })
        .catch(() => -1),
    ),
  );
  expect(most).toBe(2);
  expect(done.filter((index) => index === -1)).toHaveLength(1);
  await vi.waitFor(() => expect(busy).toBe(0), 30_000);
});

test('a file that has not grown for a minute is closed, and read again when it grows', async () => {
  const folder = useFolder();
  const path = join(folder, 'a.log');
  const lines: string[] = [];
  let now = 0;
  const set = createFileSet({
    lookBackBytes: 0,
    onLine: (text, start, end) => void lines.push(text.slice(start, end)),
    shouldContinue: () => true,
    now: () => now,
  });
  const sweep = async () => {
    const found = await findLogFiles(path);
    await set.sweep(found.ok ? found.files : []);
  };
  await writeFile(path, 'before\n');
  await sweep();
  await appendFile(path, 'line 0\n');
  await sweep();
  now = 60_000;
  await sweep();
  expect(openIn(folder)).toBe(1);
  now = 60_001;
  await sweep();
  expect(openIn(folder)).toBe(0);
  await appendFile(path, 'line 1\n');
  await sweep();
  expect([openIn(folder), lines]).toEqual([1, ['line 0', 'line 1']]);
  await set.close();
});
