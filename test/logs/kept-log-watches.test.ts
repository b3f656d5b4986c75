import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createDockerLinks } from '../../src/docker/links.ts';
import { createLogWatches } from '../../src/logs/create-log-watches.ts';
import { createMemoryPositions } from '../../src/logs/tail/create-memory-positions.ts';
import { createProcessClock } from '../../src/model/clock.ts';
import { foldLogHit } from '../../src/rules/fold-logs.ts';
import { useFolder } from '../support/recordings.ts';
import { nodeTarget, settings } from '../support/views.ts';

test('a reload of another subnet leaves the log of a target followed by the same watch', async () => {
  const path = join(useFolder(), 'node.log');
  await writeFile(path, '');
  const watches = createLogWatches({
    docker: createDockerLinks(() => {}),
    positions: createMemoryPositions(),
    clock: createProcessClock(),
    fold: foldLogHit,
    onNews: () => {},
  });
  onTestFinished(watches.stop);
  const target = nodeTarget('a', { logFiles: [{ path, timezone: 'UTC' }] });
  const plan = watches.prepare();
  const watch = plan.watchOf(target, settings.logs);
  plan.commit([target]);
  const linesSeen = () => watch.facts().sources.file?.lines;
  await vi.waitFor(() => expect(watch.facts().sources.file?.up).toBe(true));

  // An unchanged subnet asks for none of its watches again.
  watches.prepare().commit([target]);
  await appendFile(path, 'one line\n');
  await vi.waitFor(() => expect(linesSeen()).toBe(1), { timeout: 10_000 });
});
