import { expect, it } from 'vitest';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import { startSqliteThread } from '../../src/store/start-sqlite-thread.ts';

it('a call whose parameters no thread can be sent fails alone: the next one gets its own answer', async () => {
  const { call, close } = startSqliteThread(() => {});
  await call('make', ':memory:');
  await call('open', ':memory:');
  await expect(call('query', 'select ? as value', [() => {}])).rejects.toThrow('could not be cloned');
  const answers = await Promise.all([1, 2].map((value) => call('query', `select ${value} as value`, [])));
  expect(answers).toEqual([[{ value: 1 }], [{ value: 2 }]]);
  await close();
});

it('when the thread ends, calls before that have their own answers, and all others fail as such', async () => {
  const { call, close } = startSqliteThread(() => {});
  const select = (value: number) => call('query', `select ${value} as value`, []);
  await call('make', ':memory:');
  await call('open', ':memory:');
  // It returns functions, which cannot be sent back: that is a bug, at which a thread ends.
  expect(await select(1)).toEqual([{ value: 1 }]);
  const calls = [call('valueOf' as 'ping', true), select(2)];
  const codes = calls.map((one) => one.catch(({ code }: NodeJS.ErrnoException) => code));
  expect(await Promise.all(codes)).toEqual(['DATABASE_THREAD_ENDED', 'DATABASE_THREAD_ENDED']);
  await expect(select(3)).rejects.toMatchObject({ code: 'DATABASE_THREAD_ENDED' });
  await close();
});

it('a check that only reads answers for none that writes, also when both run at once', async () => {
  const connection = await openSqlite(':memory:');
  const checks = [false, true, false].map((writes) => connection.ping(writes).then(() => 'well', String));
  expect(await Promise.all(checks)).toEqual(['well', 'Error: no such table: kept_value', 'well']);
  await connection.close();
});

it('a call that waits for its turn when the database is closed fails at once, and so does the next one', async () => {
  const connection = await openSqlite(':memory:');
  const [{ query, release }, next] = await Promise.all([connection.lend(), connection.lend()]);
  await query('begin', []);
  const waiting = next.query('begin', []).then(() => 'begun', String);
  const closed = connection.close();
  expect(await waiting).toBe('Error: the connection to the database was closed');
  release();
  await closed;
  await expect(connection.lend()).rejects.toThrow('the connection to the database was closed');
});
