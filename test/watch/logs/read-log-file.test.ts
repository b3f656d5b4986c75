import { appendFileSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createOpenFiles } from '../../../src/watch/logs/file/open-files.ts';
import { watchFiles } from '../../../src/watch/logs/watch-files.ts';
import { createMemoryPositions } from '../../../src/watch/monitor/create-kept-values.ts';
import { collectHits } from '../../support/collect-hits.ts';
import { useCleanups } from '../../support/use-cleanups.ts';
import { nodeTarget } from '../../support/views.ts';

const { pathOf } = useCleanups();

/** A line that carries no time, as a node prints it at any log level. */
const turn = (block: number): string => `[yourturn] Masternode: parentBlockNum=${block}\n`;

test('a line without a time that was there at first is no newer than its file, and one that is appended is of now', async () => {
  const path = pathOf('xdc.log');
  writeFileSync(path, turn(41));
  const writtenAt = Date.now() / 1_000 - 60.5;
  utimesSync(path, writtenAt, writtenAt);
  const { clock, seen, collector } = collectHits();
  const { follow } = watchFiles({
    target: nodeTarget('n1', { logFiles: [{ path, timezone: 'UTC' }] }),
    positions: createMemoryPositions(),
    clock,
    clocks: undefined,
    openFiles: createOpenFiles(),
    collector,
    begun: clock.now(),
  });
  onTestFinished(follow().stop);
  await vi.waitFor(() => expect(seen).toEqual(['41 60', 'read']), { timeout: 5_000 });
  appendFileSync(path, turn(42));
  await vi.waitFor(() => expect(seen).toContain('42 0'), { timeout: 5_000 });
});
