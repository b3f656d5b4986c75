import { expect, it } from 'vitest';
import { oneSaveAtATime } from '../../src/lib/promises.ts';

it('saves once while a save is running, and again when it has ended', async () => {
  const saved: string[] = [];
  const first = Promise.withResolvers<void>();
  const saving = oneSaveAtATime(
    async (what: string) => {
      saved.push(what);
      await first.promise;
    },
    () => expect.unreachable(),
  );
  const running = saving.save('first');
  const joined = saving.save('joined');
  expect(saved).toEqual(['first']);
  first.resolve();
  await Promise.all([running, joined, saving.idle()]);
  await saving.save('second');
  expect(saved).toEqual(['first', 'second']);
});

it('reports the first failure, and the first one after a success, and never rejects', async () => {
  const reported: unknown[] = [];
  const saving = oneSaveAtATime(
    async (failure: string | undefined) => {
      if (failure !== undefined) throw failure;
    },
    (error) => reported.push(error),
  );
  for (const failure of ['down', 'still down', undefined, 'down again', 'and again']) await saving.save(failure);
  expect(reported).toEqual(['down', 'down again']);
});
