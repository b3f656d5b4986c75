import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import { useLogWatches } from '../../support/log-watches.ts';
import { useFolder } from '../../support/recordings.ts';
import { nodeTarget, settings } from '../../support/views.ts';

test('a reload of another subnet leaves the log of a target followed by the same watch', async () => {
  const path = join(useFolder(), 'node.log');
  await writeFile(path, '');
  const watches = useLogWatches();
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

test('a log that was not read to its end for seconds is written faster than it is read', async () => {
  const path = join(useFolder(), 'node.log');
  await writeFile(path, '');
  const clock = createProcessClock();
  let aheadMs = 0;
  const watches = useLogWatches({ ...clock, now: () => clock.now() + aheadMs });
  const target = nodeTarget('a', { logFiles: [{ path, timezone: 'UTC' }] });
  const plan = watches.prepare();
  const watch = plan.watchOf(target, settings.logs);
  plan.commit([target]);
  // Nor was it since it was first looked at.
  aheadMs = 3_100;
  expect(watch.facts().isBehind).toBe(true);
  await vi.waitFor(() => expect(watch.facts().sources.file?.up).toBe(true));
  expect(watch.facts().isBehind).toBeUndefined();
  aheadMs = 6_200;
  expect(watch.facts().isBehind).toBe(true);
  await vi.waitFor(() => expect(watch.facts().isBehind).toBeUndefined(), { timeout: 10_000 });
  // Not one that cannot be read at all.
  await rm(path);
  await vi.waitFor(() => expect(watch.facts().sources.file?.up).toBe(false), { timeout: 10_000 });
  aheadMs += 3_100;
  expect(watch.facts().isBehind).toBeUndefined();
});
