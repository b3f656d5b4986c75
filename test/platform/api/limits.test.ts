import { describe, expect, it } from 'vitest';
import { addressKey } from '../../../src/lib/addresses.ts';
import { createMemoryBuckets } from '../../../src/lib/buckets.ts';
import { createLimits } from '../../../src/platform/api/limits.ts';
import { createRepositories } from '../../../src/store/create-repositories.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { useDatabases } from '../../support/use-api.ts';

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

  it('a request costs about as little beside 100,000 that are not full as beside a few', () => {
    const { take } = createMemoryBuckets(() => 0);
    const timeOf = (from: number, until: number) => {
      const started = performance.now();
      for (let number = from; number < until; number += 1) take(`client ${number}`, HOUR_MS, 1);
      return performance.now() - started;
    };
    const besideFew = timeOf(0, 10_000);
    timeOf(10_000, MOST);
    // Whoever looked at each of them would take thousands of times as long.
    expect(timeOf(MOST, MOST + 10_000) / besideFew).toBeLessThan(200);
  });
});

describe('a /48 of IPv6', () => {
  const create = () =>
    createLimits(
      { rate: 1, burst: 2, signIns: 3 },
      () => 0,
      async () => undefined,
    );
  const network = (site: string, number: number) => addressKey(`2001:db8:${site}:${number.toString(16)}::1`);

  it.each([
    ['signInFrom', 30, '"sign-in-48"', '2'],
    ['address', 20, '"address-48"', '1'],
  ] as const)('may take ten times as much of %s as one of its addresses', async (limit, most, policy, wait) => {
    const take = create()[limit];
    for (let number = 0; number < most; number += 1) expect((await take(network('1', number))).ok).toBe(true);
    const refused = await take(network('1', most));
    expect(refused).toMatchObject({ ok: false, failure: { code: 1102, headers: { 'retry-after': wait } } });
    expect(refused.ok || refused.failure.headers?.ratelimit).toContain(policy);
    expect((await take(network('2', 0))).ok).toBe(true);
    expect((await take(addressKey('192.0.2.1'))).ok).toBe(true);
  });

  it('loses nothing by what one of its addresses sends too much', async () => {
    const { signInFrom } = create();
    for (let times = 0; times < 100; times += 1) await signInFrom(network('1', 1));
    for (let number = 2; number < 29; number += 1) expect((await signInFrom(network('1', number))).ok).toBe(true);
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
