import { expect, it, vi } from 'vitest';
import type { KeptTable } from '../../../src/model/kept.ts';
import type { LogPosition } from '../../../src/model/log.ts';
import { createKeptValues } from '../../../src/watch/monitor/create-kept-values.ts';
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
  const table: KeptTable<LogPosition> = {
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
  const positions = createKeptValues(async () => table);
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
