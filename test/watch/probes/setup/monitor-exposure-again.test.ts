import { expect, it } from 'vitest';
import { createMonitorExposure } from '../../../../src/watch/probes/setup/create-monitor-exposure.ts';
import { freePort } from '../../../support/alertmanager.ts';

it('a look that failed as a whole is repeated at the next probe, not five minutes later', async () => {
  let reads = 0;
  /** Fails where the look begins: its second reading. */
  const now = () => {
    reads += 1;
    if (reads === 2) throw new Error('too many open files');
    return 0;
  };
  const readMonitor = createMonitorExposure(await freePort(), now, new AbortController().signal);
  await expect(readMonitor()).rejects.toThrow('too many open files');
  expect(await readMonitor()).toMatchObject({ ok: false });
});
