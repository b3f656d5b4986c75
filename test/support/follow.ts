import { expect, onTestFinished, vi } from 'vitest';
import type { LogFault, PositionStore } from '../../src/model/log.ts';
import { followFiles } from '../../src/watch/logs/file/follow-files.ts';
import { createOpenFiles } from '../../src/watch/logs/file/open-files.ts';
import { createMemoryPositions } from '../../src/watch/monitor/create-kept-values.ts';

/** Follows a path or a glob; its lines can be waited for. */
export function follow(
  path: string,
  positions: PositionStore = createMemoryPositions(),
  lookBackBytes = 0,
  openFiles = createOpenFiles(),
  pollMs?: number,
) {
  const lines: string[] = [];
  const old: string[] = [];
  const state: { fault?: LogFault; bytes: number; sweeps: number } = { bytes: 0, sweeps: 0 };
  const stop = followFiles({
    path,
    source: 'test',
    positions,
    lookBackBytes,
    openFiles,
    ...(pollMs !== undefined && { pollMs }),
    onLine: (all, start, end, isOld) => void (isOld ? old : lines).push(all.slice(start, end)),
    onState: (fault, bytes) => {
      state.bytes = bytes;
      state.sweeps++;
      if (fault) state.fault = fault;
      else delete state.fault;
    },
  });
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= stop();
    return ended;
  };
  onTestFinished(end);
  const begun = vi.waitFor(() => expect(state.sweeps).toBeGreaterThan(0), 60_000);
  // Not every test waits for it.
  begun.catch(() => {});
  const has = (count: number) =>
    vi.waitFor(() => expect(lines.length).toBeGreaterThanOrEqual(count), { timeout: 50_000, interval: 5 });
  return { lines, old, state, stop: end, begun, has };
}

/** The lines `line FROM` up to the one before `line TO`. */
export const numbered = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}`);

/** The same as the text of a file. */
export const text = (from: number, to: number): string =>
  numbered(from, to)
    .map((line) => `${line}\n`)
    .join('');
