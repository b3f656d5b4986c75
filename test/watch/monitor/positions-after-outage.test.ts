import { expect, it, vi } from 'vitest';
import type { LogPosition, PositionTable } from '../../../src/model/log.ts';
import { createKeptPositions } from '../../../src/watch/monitor/create-kept-positions.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups } = useCleanups();

const position: LogPosition = { kind: 'files', files: [] };

it('the positions of removed sources go once the table can be read, also if that was after the readers had stopped waiting', async () => {
  vi.useFakeTimers();
  cleanups.push(() => void vi.useRealTimers());
  const rows = new Map<string, LogPosition>([
    ['kept', position],
    ['removed', position],
  ]);
  let isAway = true;
  const table: PositionTable = {
    read: async () => {
      if (isAway) throw new Error('the database is away');
      return new Map(rows);
    },
    write: async (changed, gone) => {
      if (isAway) throw new Error('the database is away');
      for (const [source, changedTo] of changed) rows.set(source, changedTo);
      for (const source of gone) rows.delete(source);
    },
  };
  const positions = createKeptPositions(async () => table);
  const loading = positions.load('kept');
  await vi.advanceTimersByTimeAsync(11_000);
  expect(await loading).toBeUndefined();
  positions.keepOnly(new Set(['kept']));
  positions.keep('kept', () => position);
  await vi.advanceTimersByTimeAsync(5_000);
  expect([...rows.keys()]).toEqual(['kept', 'removed']);
  isAway = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect([...rows.keys()]).toEqual(['kept']);
  await positions.stop();
});
