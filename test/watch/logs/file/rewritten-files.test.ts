import { appendFile, open, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createOpenFiles } from '../../../../src/watch/logs/file/open-files.ts';
import { createMemoryPositions } from '../../../../src/watch/monitor/create-kept-values.ts';
import { follow, numbered, text } from '../../../support/follow.ts';
import { useFolder } from '../../../support/recordings.ts';

/** More than the first KiB, and the same at each start of a program. */
const BANNER = `${'='.repeat(98)}\n`.repeat(30);

/** It has looked twice at what is there now. */
async function looked({ state }: ReturnType<typeof follow>) {
  const { sweeps } = state;
  await vi.waitFor(() => expect(state.sweeps).toBeGreaterThanOrEqual(sweeps + 2), { timeout: 20_000, interval: 5 });
}

/** Follows a log with this in it; `pollMs` is short where nothing is waited for but the next look. */
async function followed(content = text(0, 101), pattern = 'a.log', pollMs = 50) {
  const folder = useFolder();
  const path = join(folder, 'a.log');
  await writeFile(path, '');
  const follower = follow(join(folder, pattern), createMemoryPositions(), 0, createOpenFiles(), pollMs);
  await follower.begun;
  await appendFile(path, content);
  await follower.has(content.split('\n').length - 1);
  return { folder, path, ...follower };
}

test.each(['a.log', 'a.log*'])('of a file that an editor saves, only the new lines are read (%s)', async (glob) => {
  const { path, lines, has, ...rest } = await followed(text(0, 101), glob);
  for (const last of [102, 103]) {
    await writeFile(`${path}.swp`, text(0, last));
    await rename(`${path}.swp`, path);
    await has(last);
    await looked({ lines, has, ...rest });
  }
  await appendFile(path, text(103, 104));
  await has(104);
  expect(lines).toEqual(numbered(0, 104));
});

test('a file that is truncated and rewritten with the same lines and more reports only the new ones', async () => {
  const { path, lines, has, ...rest } = await followed();
  await writeFile(path, text(0, 101));
  await looked({ lines, has, ...rest });
  await writeFile(path, text(0, 150));
  await has(150);
  expect(lines).toEqual(numbered(0, 150));
});

test('lines that are written in the place of others, and are as long, are read', async () => {
  const { path, lines, has } = await followed(text(100, 200));
  const file = await open(path, 'r+');
  await file.write(text(200, 300));
  await file.close();
  await has(200);
  expect(lines).toEqual(numbered(100, 300));
});

test('a copy in a file that was once the log, while that was empty, repeats no line', async () => {
  const { folder, path, lines, has, ...rest } = await followed('');
  const other = join(folder, 'x');
  await rename(path, other);
  await writeFile(path, text(0, 3));
  await has(3);
  await writeFile(other, text(0, 3));
  await rename(other, `${path}.1`);
  for (let seen = 0; seen < 2; seen++) await looked({ lines, has, ...rest });
  expect(lines).toEqual(numbered(0, 3));
});

test('a file that is rewritten piece by piece reports only the new lines', async () => {
  const { path, lines, has, ...rest } = await followed();
  for (const last of [0, 3, 40, 90, 101, 120]) {
    if (last === 0) await truncate(path);
    else await writeFile(path, text(0, last));
    await looked({ lines, has, ...rest });
  }
  await has(120);
  expect(lines).toEqual(numbered(0, 120));
});

test('a truncated file reports what is appended, and no line that was there before', async () => {
  // That it was cut, and is not about to be written again, shows after a while.
  const { path, lines, has, ...rest } = await followed(text(0, 101), 'a.log', 500);
  await writeFile(path, `${text(0, 60)}li`);
  for (let seen = 0; seen < 4; seen++) await looked({ lines, has, ...rest });
  await appendFile(path, `ne 200\n${text(201, 203)}`);
  await has(104);
  expect(lines).toEqual([...numbered(0, 101), ...numbered(200, 203)]);
}, 90_000);

test.each(['a.log', 'a.log*'])(
  'logs that begin with the same lines are distinguished, for any number of lines (%s)',
  async (glob) => {
    const { path, lines, has } = await followed(BANNER + text(0, 2_000), glob);
    await rename(path, `${path}.1`);
    await writeFile(path, BANNER + text(2_000, 2_010));
    await has(2_070);
    await appendFile(path, text(2_010, 4_000));
    await has(4_060);
    expect(lines.filter((line) => line.startsWith('line'))).toEqual(numbered(0, 4_000));
  },
);

test('a removed log that starts again with the same lines loses no line', async () => {
  const { path, lines, has } = await followed(BANNER + text(0, 2_000));
  await rm(path);
  await writeFile(path, BANNER + text(2_000, 2_003));
  await has(2_063);
  await appendFile(path, text(2_003, 5_000));
  await has(5_060);
  expect(lines.filter((line) => line.startsWith('line'))).toEqual(numbered(0, 5_000));
});

test.each([400, 4_000])(
  'of a log rewritten in place with the same 12 KiB and %i other lines, those lines are read',
  async (count) => {
    const begins = BANNER.repeat(4);
    const { path, lines, has } = await followed(begins + text(0, 2_000));
    await writeFile(path, begins + text(5_000, 5_000 + count));
    await has(2 * 120 + 2_000 + count);
    expect(lines.filter((line) => line.startsWith('line'))).toEqual([
      ...numbered(0, 2_000),
      ...numbered(5_000, 5_000 + count),
    ]);
  },
  10_000,
);

test('after a restart a file that was rewritten meanwhile reports only its new lines, and another with the same beginning all', async () => {
  const folder = useFolder();
  const path = join(folder, 'a.log');
  const positions = createMemoryPositions();
  await writeFile(path, '');
  const first = follow(path, positions);
  await first.begun;
  await appendFile(path, BANNER + text(0, 100));
  await first.has(130);
  await first.stop();
  await writeFile(`${path}.new`, BANNER + text(0, 120));
  await rename(`${path}.new`, path);
  const second = follow(path, positions);
  await second.has(20);
  expect(second.lines).toEqual(numbered(100, 120));
  await second.stop();
  await writeFile(path, BANNER + text(500, 700));
  const third = follow(path, positions);
  await third.has(230);
  expect(third.lines.slice(30)).toEqual(numbered(500, 700));
});
