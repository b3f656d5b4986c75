import pino from 'pino';
import { expect, it } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import { createInternalErrors } from '../../../src/lib/internal-errors.ts';
import type { Channel } from '../../../src/model/channel.ts';
import { startPush } from '../../../src/tell/notify/start-push.ts';
import { eventually } from '../../support/cli.ts';
import { createFakePart } from '../../support/fake-part.ts';
import { NO_INCIDENTS } from '../../support/no-incidents.ts';

it('a reload beside a load that fails hands the Alertmanager to the push all the same', async () => {
  const reported: string[] = [];
  const log = pino({ level: 'silent' });
  const errors = createInternalErrors(log);
  let isFirst = true;
  const push = startPush({
    readAlertInput: () => {
      throw new Error('nothing is judged here');
    },
    instance: 'a',
    part: createFakePart(),
    isSettled: () => true,
    store: () => Promise.reject(new Error('away')),
    notified: () => Promise.reject(new Error('away')),
    incidents: NO_INCIDENTS,
    log,
    internalErrors: {
      ...errors,
      of: (part) => {
        if (!isFirst) return errors.of(part);
        isFirst = false;
        throw new Error('too many open files');
      },
      report: (error) => void reported.push(String(error)),
    },
    clock: createProcessClock(),
  });
  // An Alertmanager that cannot be called: whoever is given it says so.
  const alertmanager = { urls: ['no address'] };
  push.setReceivers({ alertmanager });
  push.setReceivers({ alertmanager, channels: [{} as Channel] });
  await eventually(() =>
    expect(reported).toEqual([expect.stringContaining('too many'), expect.stringContaining('URL')]),
  );
  await push.stop();
});
