import { expect, it } from 'vitest';
import { startSqliteThread } from '../../src/db/start-sqlite-thread.ts';

it('a call whose parameters no thread can be sent fails alone: the next one gets its own answer', async () => {
  const { call, close } = startSqliteThread(() => {});
  await call('make', ':memory:');
  await call('open', ':memory:');
  await expect(call('query', 'select ? as value', [() => {}])).rejects.toThrow('could not be cloned');
  const answers = await Promise.all([1, 2].map((value) => call('query', `select ${value} as value`, [])));
  expect(answers).toEqual([[{ value: 1 }], [{ value: 2 }]]);
  await close();
});
