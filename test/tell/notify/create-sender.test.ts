import { expect, it } from 'vitest';
import type { Client } from '../../../src/tell/notify/create-client.ts';
import { createSender } from '../../../src/tell/notify/create-sender.ts';
import type { PostableAlert } from '../../../src/tell/notify/to-alert.ts';
import { eventually } from '../../support/cli.ts';

const alert = (name: string): PostableAlert => ({ labels: { name }, annotations: {}, startsAt: '', endsAt: '' });

/** A sender whose requests end as the test says, in their order, and what each of them had. */
function run() {
  const batches: (readonly string[])[] = [];
  const answers: ReturnType<typeof Promise.withResolvers<boolean>>[] = [];
  const client: Client = {
    address: 'x',
    call: async (_method, _path, body) => {
      batches.push((body as readonly PostableAlert[]).map(({ labels }) => labels.name ?? ''));
      const answer = Promise.withResolvers<boolean>();
      answers.push(answer);
      const ok = await answer.promise;
      return ok ? { ok, body: '' } : { ok: false, why: 'away', retryable: true };
    },
    close: async () => {},
  };
  const counts = { sent: 0, failed: 0, dropped: 0 };
  const sender = createSender({ client, counts, firstPauseMs: 1, onFailure: () => {}, onRecovery: () => {} });
  return {
    ...sender,
    batches,
    counts,
    enqueue: (...names: readonly string[]) => sender.enqueue(new Map(names.map((name) => [name, alert(name)]))),
    /** Waits for so many requests, and ends the last of them. */
    answer: async (requests: number, ok: boolean) => {
      await eventually(() => expect(batches).toHaveLength(requests));
      answers.at(-1)?.resolve(ok);
    },
  };
}

it('an alert that was forgotten while it could not be sent is not sent later, and others are', async () => {
  const sender = run();
  sender.enqueue('sending', 'kept');
  sender.enqueue('queued', 'other');
  sender.forget(['sending', 'queued']);
  await sender.answer(1, false);
  await sender.answer(2, true);
  await sender.stop(1_000);
  expect(sender.batches).toEqual([
    ['sending', 'kept'],
    ['kept', 'other'],
  ]);
  expect(sender.counts).toEqual({ sent: 2, failed: 2, dropped: 0 });
});

it('an alert whose subnet came back is sent until it is accepted, although it was forgotten before', async () => {
  const sender = run();
  sender.enqueue('moved');
  sender.forget(['moved']);
  await sender.answer(1, true);
  sender.enqueue('moved');
  await sender.answer(2, false);
  await sender.answer(3, true);
  await sender.stop(1_000);
  expect(sender.batches).toEqual([['moved'], ['moved'], ['moved']]);
  expect(sender.counts).toEqual({ sent: 2, failed: 1, dropped: 0 });
});
