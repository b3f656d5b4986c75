import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
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
