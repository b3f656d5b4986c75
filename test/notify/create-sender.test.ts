import { expect, it } from 'vitest';
import type { Client } from '../../src/notify/create-client.ts';
import { createSender } from '../../src/notify/create-sender.ts';
import type { PostableAlert } from '../../src/notify/to-alert.ts';
import { eventually } from '../support/cli.ts';

const alert = (name: string): PostableAlert => ({ labels: { name }, annotations: {}, startsAt: '', endsAt: '' });

it('an alert that was forgotten while it could not be sent is not sent later, and others are', async () => {
  const batches: (readonly string[])[] = [];
  const answers = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()];
  const client: Client = {
    address: 'x',
    call: async (_method, _path, body) => {
      batches.push((body as readonly PostableAlert[]).map(({ labels }) => labels.name ?? ''));
      const ok = await answers[batches.length - 1]?.promise;
      return ok ? { ok, body: '' } : { ok: false, why: 'away', retryable: true };
    },
    close: async () => {},
  };
  const counts = { sent: 0, failed: 0, dropped: 0 };
  const sender = createSender({ client, counts, firstPauseMs: 1, onFailure: () => {}, onRecovery: () => {} });
  sender.enqueue(new Map([['sending', alert('sending')]]));
  sender.enqueue(new Map(['queued', 'other'].map((key) => [key, alert(key)])));
  sender.forget(['sending', 'queued']);
  answers[0]?.resolve(false);
  answers[1]?.resolve(true);
  await eventually(() => expect(batches).toEqual([['sending'], ['other']]));
  await sender.stop(1_000);
  expect(counts.sent).toBe(1);
});
