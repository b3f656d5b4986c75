import { appendFile, copyFile, rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { numbered, text } from '../../../support/follow.ts';
import { useFolder } from '../../../support/recordings.ts';
import { sweptFiles } from '../../../support/swept-files.ts';

/** A log of which five lines were read, and two were not when it went to another folder as `moved`. */
async function rotatedAway(rotate: (path: string, moved: string) => Promise<void>) {
  const path = join(useFolder(), 'a.log');
  const moved = join(useFolder(), 'moved');
  const { read, begin, look, pass } = sweptFiles(path);
  const set = begin();
  onTestFinished(set.close);
  await writeFile(path, '');
  await look(set);
  await appendFile(path, text(0, 5));
  await look(set);
  await appendFile(path, text(5, 7));
  await rotate(path, moved);
  await look(set);
  const lookAfter = async (ms: number) => {
    pass(ms - 1_000);
    await look(set);
  };
  return { path, moved, read, lookAfter };
}

const copyAndTruncate = async (path: string, moved: string) => {
  await copyFile(path, moved);
  await truncate(path);
};

test.each([
  [59_000, 7],
  [61_000, 5],
])('the rest of a truncated log is searched for a minute: after %i ms %i lines are read', async (ms, lines) => {
  const { path, moved, read, lookAfter } = await rotatedAway(copyAndTruncate);
  await lookAfter(ms);
  await rename(moved, `${path}.1`);
  await lookAfter(1_000);
  expect(read).toEqual(numbered(0, lines));
});

test.each([
  [29_000, 8],
  [31_000, 7],
])('a renamed log is read for 30 s wherever it is: after %i ms %i lines are read', async (ms, lines) => {
  const { path, moved, read, lookAfter } = await rotatedAway(async (from, to) => {
    await rename(from, to);
    await writeFile(from, '');
  });
  await lookAfter(ms);
  await appendFile(moved, text(7, 8));
  await lookAfter(1_000);
  expect(read).toEqual(numbered(0, lines));
  await appendFile(path, text(9, 10));
  await lookAfter(1_000);
  expect(read.at(-1)).toBe('line 9');
});
