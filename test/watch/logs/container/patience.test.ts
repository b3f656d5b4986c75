import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { followLog, type LogFollower } from '../../../../src/watch/logs/container/follow-log.ts';
import { followFiles } from '../../../../src/watch/logs/file/follow-files.ts';
import { createMemoryPositions } from '../../../../src/watch/monitor/create-kept-values.ts';
import { useFolder } from '../../../support/recordings.ts';

/** Timers wait until the test goes on to them; files and their watches are real. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 0 });
  onTestFinished(() => void vi.useRealTimers());
});

/** Lets all that needs no timer happen, until this is so. */
async function until(isSo: () => boolean) {
  const begun = performance.now();
  while (!isSo()) {
    if (performance.now() - begun > 4_000) throw new Error('it has not come in 4 s');
    await turn();
  }
}

/** The times of `looks`, in seconds since the last one, of so many more, none of which anything has woken. */
async function pauses(looks: readonly number[], count: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index++) {
    const before = looks.length;
    await until(() => vi.getTimerCount() === 1);
    vi.advanceTimersToNextTimer();
    await until(() => looks.length > before);
    found.push(((looks[before] ?? 0) - (looks[before - 1] ?? 0)) / 1_000);
  }
  return found;
}

const openNothing = async () => {
  throw new Error('there is nothing to open');
};

function followMissing() {
  const looks: number[] = [];
  const faults: unknown[] = [];
  const follower: LogFollower = followLog({
    source: 'test',
    positions: createMemoryPositions(),
    find: async () => {
      looks.push(Date.now());
      return { what: 'no-container' };
    },
    openLog: openNothing,
    openTail: openNothing,
    startAt: 0,
    onLine: () => {},
    onState: (fault) => void faults.push(fault),
  });
  onTestFinished(follower.stop);
  return { looks, faults, wake: follower.wake };
}

test('a missing container is searched for less and less often, down to every 15 s', async () => {
  const { looks, faults } = followMissing();
  await until(() => looks.length === 1);
  expect(await pauses(looks, 6)).toEqual([2, 4, 8, 15, 15, 15]);
  expect(faults[0]).toEqual({ what: 'no-container' });
});

test('a container that may have started is searched for at once, and then often', async () => {
  const { looks, wake } = followMissing();
  await until(() => looks.length === 1);
  await pauses(looks, 5);
  await until(() => vi.getTimerCount() === 1);
  wake();
  await until(() => looks.length === 7);
  expect(looks[6]).toBe(looks[5]);
  expect(await pauses(looks, 3)).toEqual([2, 4, 8]);
});

test.each(['folder', 'file'] as const)(
  'a missing log is polled each second, after 60 polls every 10 s, and at once when its %s appears',
  async (missing) => {
    // Others write beside this folder, but not in it.
    const above = useFolder();
    const folder = join(above, 'logs');
    const path = join(folder, 'a.log');
    if (missing === 'file') await mkdir(folder);
    const looks: number[] = [];
    const lines: string[] = [];
    const stop = followFiles({
      path,
      source: 'test',
      positions: createMemoryPositions(),
      lookBackBytes: 0,
      onLine: (text, start, end) => void lines.push(text.slice(start, end)),
      onState: () => void looks.push(Date.now()),
    });
    onTestFinished(stop);
    await until(() => looks.length === 1);
    expect(await pauses(looks, 63)).toEqual([...Array<number>(60).fill(1), 10, 10, 10]);
    const at = Date.now();
    if (missing === 'folder') {
      await mkdir(folder);
      await until(() => looks.length === 65);
    }
    await writeFile(path, 'one line\n');
    await until(() => lines.length === 1);
    expect(Date.now()).toBe(at);
    expect(lines).toEqual(['one line']);
  },
);
