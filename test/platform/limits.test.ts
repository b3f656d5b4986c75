import { describe, expect, it } from 'vitest';
import { createRepositories } from '../../src/db/create-repositories.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { createMemoryBuckets } from '../../src/model/buckets.ts';
import { createLimits } from '../../src/platform/create-limits.ts';
import { useDatabases } from '../support/use-api.ts';

const MOST = 100_000;
const HOUR_MS = 3_600_000;

describe('buckets in memory', () => {
  it('whoever keeps asking keeps the bucket, however many others come', () => {
    const { take } = createMemoryBuckets(() => 0);
    for (let number = 0; number < MOST + 100; number += 1) {
      if (number === 0 || number === MOST / 2) take('busy', HOUR_MS, 3);
      take(`other ${number}`, HOUR_MS, 3);
    }
    expect(take('busy', HOUR_MS, 3)).toEqual({ ok: true, fullInMs: 3 * HOUR_MS });
    expect(take('busy', HOUR_MS, 3)).toMatchObject({ ok: false });
  });

  it('full ones make room first', () => {
    let now = 0;
    const { take, peek } = createMemoryBuckets(() => now);
    take('slow', HOUR_MS, 1);
    for (let number = 1; number < MOST; number += 1) take(`quick ${number}`, 1_000, 1);
    now = 2_000;
    take('last', 1_000, 1);
    expect(peek(['slow', 'quick 1', 'last'])).toEqual([HOUR_MS - now, 0, 1_000]);
  });

  it('a request costs as little beside 100,000 that are not full', () => {
    const { take } = createMemoryBuckets(() => 0);
    for (let number = 0; number < MOST; number += 1) take(`first ${number}`, HOUR_MS, 1);
    const started = performance.now();
    for (let number = 0; number < 10_000; number += 1) take(`then ${number}`, HOUR_MS, 1);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe('what is left', () => {
  const databases = useDatabases('postgres');

  it('is read for all credentials at once, and writes nothing, in memory and in PostgreSQL', async () => {
    const connection = await openDatabase(await databases.create());
    const { rateLimits } = await createRepositories(connection);
    for (const shared of [undefined, rateLimits]) {
      const limits = createLimits(
        { rate: 0.01, burst: 5, signIns: 0 },
        () => 0,
        async () => shared,
      );
      await limits.credential('key 2');
      await limits.credential('key 2');
      expect(await limits.left(['key 1', 'key 2', 'key 3'])).toEqual({ left: [5, 3, 5], of: 5 });
    }
    expect(await connection.column('select key from rate_limit')).toEqual(['credential key 2']);
    await connection.close();
  });
});
