import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, rename, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { createMemoryPositions } from '../../../../src/watch/monitor/create-kept-values.ts';
import { follow, numbered } from '../../../support/follow.ts';
import { startLogWriter } from '../../../support/log-writer.ts';
import { useFolder } from '../../../support/recordings.ts';

const ROTATIONS = 4;
/** Only a bound, for a machine on which much else runs. */
const LONG_MS = 50_000;

/** Every line that any file of a folder holds, packed or not. */
const allLines = (folder: string): readonly string[] =>
  readdirSync(folder).flatMap((name) => {
    const bytes = readFileSync(join(folder, name));
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    return text.split('\n').filter((line) => line !== '');
  });

const gzip = (path: string) => execFileSync('gzip', [path]);

/** A follower that can be stopped and started again, and all lines that it reported. */
function followThrough(path: string) {
  const positions = createMemoryPositions();
  const before: string[] = [];
  let current = follow(path, positions);
  return {
    begun: current.begun,
    all: () => [...before, ...current.lines],
    /**
     * Waits until it has read this line of the current log, and 100 more lines. A log that is rotated and packed before
     * anybody looks cannot be known.
     */
    more: async (line: string) => {
      // Reading and waiting share a processor: to print all lines each time would leave the writer ever further ahead.
      const isRead = () => before.includes(line) || current.lines.includes(line);
      await vi.waitFor(() => expect(isRead(), `${line} has been read`).toBe(true), { timeout: LONG_MS, interval: 5 });
      await current.has(current.lines.length + 100);
    },
    stop: async () => {
      await current.stop();
      before.push(...current.lines.splice(0));
    },
    start: () => {
      current = follow(path, positions);
    },
  };
}

/** The first line of a file, once it is there. */
const firstLineOf = (path: string): Promise<string> =>
  vi.waitFor(
    () => {
      const [line = '', ...rest] = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
      expect(rest).not.toEqual([]);
      return line;
    },
    { timeout: LONG_MS, interval: 5 },
  );

/** Every line of the files was reported, and none twice. */
async function expectEach(told: () => readonly string[], lines: readonly string[]) {
  await vi.waitFor(
    () => {
      const known = new Set(told());
      expect(lines.filter((line) => !known.has(line)).slice(0, 5)).toEqual([]);
    },
    { timeout: LONG_MS, interval: 100 },
  );
  const all = told();
  const seen = new Set<string>();
  expect(all.filter((line) => seen.size === seen.add(line).size).slice(0, 5)).toEqual([]);
}

const CASES = ['a.log', 'a.log*'].flatMap((pattern) =>
  [false, true].map((restarts) => ({
    pattern,
    restarts,
    name: `${pattern}${restarts ? ', nobody reading meanwhile' : ''}`,
  })),
);

test.each(CASES)('a file renamed under a writer, then packed, is read once ($name)', async ({ pattern, restarts }) => {
  const folder = useFolder();
  const path = join(folder, 'a.log');
  const follower = followThrough(join(folder, pattern));
  await follower.begun;
  const writer = startLogWriter(path);
  let first = 0;
  for (let rotation = 1; rotation <= ROTATIONS; rotation++) {
    await follower.more(`line ${first}`);
    if (restarts) await follower.stop();
    await rename(path, `${path}.${rotation}`);
    first = await writer.reopen(path);
    if (restarts) {
      gzip(`${path}.${rotation}`);
      follower.start();
    } else {
      await follower.more(`line ${first}`);
      gzip(`${path}.${rotation}`);
    }
  }
  const written = await writer.stop();
  await expectEach(follower.all, numbered(0, written));
  expect(follower.all().length).toBe(written);
});

test.each(
  CASES.flatMap((one) => [
    { ...one, packed: false },
    { ...one, packed: true, name: `${one.name}, packed at once` },
  ]),
)('a file copied and truncated under a writer is read once ($name)', async ({ pattern, restarts, packed }) => {
  const folder = useFolder();
  const path = join(folder, 'a.log');
  const follower = followThrough(join(folder, pattern));
  await follower.begun;
  const writer = startLogWriter(path);
  for (let rotation = 1; rotation <= ROTATIONS; rotation++) {
    await follower.more(await firstLineOf(path));
    if (restarts) await follower.stop();
    await copyFile(path, `${path}.${rotation}`);
    await truncate(path);
    if (packed) gzip(`${path}.${rotation}`);
    if (restarts) follower.start();
  }
  await writer.stop();
  // What is written between copy and truncation is in neither; it may have been read before it was gone.
  await expectEach(follower.all, allLines(folder));
});

test.each([false, true])(
  'a new file a day under a writer is read once, yesterday packed (restarts: %s)',
  async (restarts) => {
    const folder = useFolder();
    const dayOf = (day: number) => join(folder, `2026-11-0${day}.log`);
    const follower = followThrough(join(folder, '*.log'));
    await follower.begun;
    const writer = startLogWriter(dayOf(1));
    let first = 0;
    for (let day = 2; day <= ROTATIONS; day++) {
      await follower.more(`line ${first}`);
      if (restarts) await follower.stop();
      first = await writer.reopen(dayOf(day));
      gzip(dayOf(day - 1));
      if (restarts) follower.start();
    }
    const written = await writer.stop();
    await expectEach(follower.all, numbered(0, written));
    expect(follower.all().length).toBe(written);
  },
);

test('a copy that shows up long after the truncation is read only where its original was not', async () => {
  const folder = useFolder();
  const elsewhere = join(useFolder(), 'copy');
  const path = join(folder, 'a.log');
  const follower = followThrough(join(folder, 'a.log*'));
  await follower.begun;
  const writer = startLogWriter(path);
  for (let rotation = 1; rotation <= ROTATIONS; rotation++) {
    await follower.more(await firstLineOf(path));
    await copyFile(path, elsewhere);
    await truncate(path);
    const first = await firstLineOf(path);
    await follower.more(first);
    await follower.more(first);
    await copyFile(elsewhere, `${path}.${rotation}`);
  }
  await writer.stop();
  await expectEach(follower.all, allLines(folder));
});
