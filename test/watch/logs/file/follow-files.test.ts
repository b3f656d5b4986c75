import { appendFileSync } from 'node:fs';
import { appendFile, copyFile, mkdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createMemoryPositions } from '../../../../src/watch/monitor/create-kept-values.ts';
import { follow, numbered, text } from '../../../support/follow.ts';
import { useFolder } from '../../../support/recordings.ts';

test('it starts at the end and reports what is added, each line once', async () => {
  const path = join(useFolder(), 'a.log');
  await writeFile(path, text(0, 100));
  const { lines, begun, has } = follow(path);
  await begun;
  await appendFile(path, text(100, 150));
  await has(50);
  expect(lines).toEqual(numbered(100, 150));
});

test('lines from before are reported as old when they are wanted', async () => {
  const path = join(useFolder(), 'a.log');
  await writeFile(path, text(0, 10));
  const { old, lines, begun } = follow(path, createMemoryPositions(), 1_000);
  await begun;
  expect(old).toEqual(numbered(0, 10));
  expect(lines).toEqual([]);
});

test('after a restart reading continues where it stopped, also within a line', async () => {
  const path = join(useFolder(), 'a.log');
  const positions = createMemoryPositions();
  await writeFile(path, '');
  const first = follow(path, positions);
  await first.begun;
  await appendFile(path, `${text(0, 3)}line`);
  await first.has(3);
  await first.stop();
  await appendFile(path, ` 3\n${text(4, 6)}`);
  const second = follow(path, positions);
  await second.has(3);
  expect([...first.lines, ...second.lines]).toEqual(numbered(0, 6));
});

test('a file renamed while it is followed is read to its end, and its successor from the beginning', async () => {
  const path = join(useFolder(), 'a.log');
  await writeFile(path, '');
  const { lines, begun, has } = follow(path);
  await begun;
  await appendFile(path, text(0, 5));
  await rename(path, `${path}.1`);
  await writeFile(path, text(5, 8));
  await appendFile(`${path}.1`, text(8, 10));
  await has(10);
  expect(lines.toSorted()).toEqual(numbered(0, 10).toSorted());
});

test('a file renamed during a restart is read to its end', async () => {
  const path = join(useFolder(), 'a.log');
  const positions = createMemoryPositions();
  await writeFile(path, '');
  const first = follow(path, positions);
  await first.begun;
  await appendFile(path, text(0, 5));
  await first.has(5);
  await first.stop();
  await appendFile(path, text(5, 7));
  await rename(path, `${path}.1`);
  await writeFile(path, text(7, 9));
  const second = follow(path, positions);
  await second.has(4);
  expect([...first.lines, ...second.lines]).toEqual(numbered(0, 9));
});

test('a truncated file is read from the beginning', async () => {
  const path = join(useFolder(), 'a.log');
  await writeFile(path, text(0, 50));
  const { lines, begun, has } = follow(path);
  await begun;
  await truncate(path);
  await appendFile(path, text(50, 53));
  await has(3);
  expect(lines).toEqual(numbered(50, 53));
});

test('a file that was truncated and has grown beyond where reading was is noticed by its beginning', async () => {
  const path = join(useFolder(), 'a.log');
  const positions = createMemoryPositions();
  await writeFile(path, text(0, 5));
  const first = follow(path, positions);
  await first.begun;
  await first.stop();
  await writeFile(path, text(100, 200));
  const second = follow(path, positions);
  await second.has(100);
  expect(second.lines).toEqual(numbered(100, 200));
});

test.each(['a.log', 'a.log*'])(
  'copy and truncate under a writer loses no line and repeats none (%s)',
  async (pattern) => {
    const folder = useFolder();
    const path = join(folder, 'a.log');
    await writeFile(path, '');
    const { lines, begun, has } = follow(join(folder, pattern));
    await begun;
    let written = 0;
    for (let rotation = 1; rotation <= 4; rotation++) {
      for (let part = 0; part < 5; part++) {
        await appendFile(path, text(written, written + 40));
        written += 40;
        if (part === 0) await has(written);
      }
      await copyFile(path, `${path}.${rotation}`);
      await truncate(path);
    }
    await appendFile(path, text(written, written + 1));
    await has(written + 1);
    expect(lines.toSorted()).toEqual(numbered(0, written + 1).toSorted());
  },
);

test('rotation by rename under a writer that never waits loses and repeats nothing', async () => {
  const folder = useFolder();
  const path = join(folder, 'a.log');
  await writeFile(path, '');
  const { lines, begun, has } = follow(join(folder, 'a.log*'));
  await begun;
  let written = 0;
  for (let rotation = 1; rotation <= 10; rotation++) {
    for (let part = 0; part < 20; part++) {
      appendFileSync(path, text(written, written + 25));
      written += 25;
      if (part % 7 === 0) await new Promise(setImmediate);
    }
    await rename(path, `${path}.${rotation}`);
  }
  await has(written);
  expect(lines.length).toBe(written);
  expect(new Set(lines).size).toBe(written);
});

test('a new file a day is read from its beginning, and the packed one of yesterday is left alone', async () => {
  const folder = useFolder();
  await writeFile(join(folder, '2026-11-21.log'), text(0, 5));
  const { lines, begun, has } = follow(join(folder, '*'));
  await begun;
  await writeFile(join(folder, '2026-11-22.log'), text(5, 8));
  await has(3);
  await writeFile(join(folder, '2026-11-21.log.gz'), gzipSync(text(0, 5)));
  await rm(join(folder, '2026-11-21.log'));
  await appendFile(join(folder, '2026-11-22.log'), text(8, 9));
  await has(4);
  expect(lines).toEqual(numbered(5, 9));
});

test('a folder that appears later is read from the beginning', async () => {
  const folder = useFolder();
  const { lines, state, begun, has } = follow(join(folder, 'logs', '*.log'));
  await begun;
  expect(state.fault).toEqual({ what: 'missing' });
  await mkdir(join(folder, 'logs'));
  await writeFile(join(folder, 'logs', 'a.log'), text(0, 3));
  await has(3);
  expect(lines).toEqual(numbered(0, 3));
  await vi.waitFor(() => expect(state.fault).toBeUndefined(), 10_000);
});

test('a removed file is reported, and one that comes back is read from its beginning', async () => {
  const path = join(useFolder(), 'a.log');
  await writeFile(path, text(0, 3));
  const { lines, state, begun, has } = follow(path);
  await begun;
  await rm(path);
  await vi.waitFor(() => expect(state.fault).toEqual({ what: 'missing' }), 20_000);
  await writeFile(path, text(3, 5));
  await has(2);
  expect(lines).toEqual(numbered(3, 5));
});

test('a directory in place of a file is reported', async () => {
  const { state, begun } = follow(useFolder());
  await begun;
  expect(state.fault).toEqual({ what: 'not-a-file' });
});

test('two hundred files are followed at once', async () => {
  const folder = useFolder();
  const paths = Array.from({ length: 200 }, (_, index) => join(folder, `n${index}.log`));
  await Promise.all(paths.map((path) => writeFile(path, 'old\n')));
  const { lines, begun, has, state } = follow(join(folder, '*.log'));
  await begun;
  await Promise.all(paths.map((path, index) => appendFile(path, `line ${index}\n`)));
  await has(200);
  expect(lines.toSorted()).toEqual(numbered(0, 200).toSorted());
  await vi.waitFor(
    () => expect(state.bytes).toBe(paths.reduce((sum, _, index) => sum + 4 + `line ${index}\n`.length, 0)),
    20_000,
  );
});

test('binary output and invalid UTF-8 are lines like others', async () => {
  const path = join(useFolder(), 'a.log');
  await writeFile(path, '');
  const { lines, begun, has } = follow(path);
  await begun;
  await appendFile(path, Buffer.from([0xff, 0xfe, 0, 1, 2, 0x0a, 0xc3, 0x28, 0x0a]));
  await has(2);
  expect(lines).toEqual(['\u00ff\u00fe\0\u0001\u0002', '\u00c3(']);
});

test('a flood of lines is read completely and does not block the event loop', async () => {
  const path = join(useFolder(), 'a.log');
  await writeFile(path, '');
  const { lines, begun, has } = follow(path);
  await begun;
  let turns = 0;
  const timer = setInterval(() => {
    if (lines.length > 0 && lines.length < 500_000) turns++;
  }, 1);
  onTestFinished(() => clearInterval(timer));
  await appendFile(path, Buffer.from(text(0, 500_000)));
  await has(500_000);
  expect(lines.length).toBe(500_000);
  // 7 MB are some 28 reads; timers had their turn between most of them.
  expect(turns).toBeGreaterThan(5);
});
