import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { StoredWork } from '../../src/model/planned-work.ts';
import { startDatabase } from '../../src/store/start-database.ts';
import { platformSettings, startPlatform } from '../support/api.ts';
import { DATABASE_KINDS, type Databases, startDatabases } from '../support/databases.ts';

const AT = Date.parse('2026-12-01T22:00:00.000Z');
const DAY_MS = 24 * 3_600_000;
const WITHIN = { timeout: 60_000, interval: 50 };

const work: StoredWork = {
  ...{ id: 'w', subnet: 'devnet', from: AT - 2 * DAY_MS, until: AT - DAY_MS },
  ...{ reason: 'disk', by: 'ops', silences: [] },
};

describe.each(DATABASE_KINDS)('what is too old in %s', (kind) => {
  let databases: Databases;
  beforeAll(async () => {
    databases = await startDatabases(kind);
  }, 60_000);
  afterAll(() => databases?.stop());

  const change = {
    at: AT - 9 * DAY_MS,
    subnet: 'devnet',
    kind: 'check',
    what: 'peers',
    was: 'pass',
    is: 'fail',
  } as const;
  const incident = {
    ...{ id: '1', subnet: 'devnet', problem: 'node_down', alert: 'SubnetNodeDown', severity: 'warning' },
    ...{ startedAt: AT - 9 * DAY_MS, endedAt: AT - 8 * DAY_MS, end: 'gone' },
  } as never;
  const fill = async (database: ReturnType<typeof startDatabase>) => {
    await (await database.plannedWork()).add(work);
    await (await database.history('a')).addChanges([{ ...change, reason: 'few' }]);
    await (await database.incidents('a')).save([incident]);
    const shard = { index: 0, total: 1 };
    await (await database.fleet()).write({ instance: 'a', shard, beat: 1, writtenAt: AT - 9 * DAY_MS, subnets: [] });
  };
  const trim = async (database: ReturnType<typeof startDatabase>) => {
    await (await database.plannedWork()).trim(AT);
    const before = { changes: AT, most: 1_000, days: AT, hours: AT, minutes: AT, steps: AT };
    await (await database.history('b')).trim(before);
    await (await database.incidents('b')).trim({ endedBefore: AT, most: 1_000, mostParts: 1_000 });
    await (await database.fleet()).trim(AT);
  };
  const count = async (database: ReturnType<typeof startDatabase>) => [
    (await (await database.plannedWork()).list(0)).length,
    (await (await database.history('a')).changes({ limit: 9 })).length,
    (await (await database.incidents('a')).list({ limit: 9 })).length,
    (await (await database.fleet()).list()).length,
  ];

  it('is deleted by the one instance that holds the lock of it, and the others leave it alone', async () => {
    const address = await databases.create();
    const start = () => {
      const database = startDatabase(address, pino({ level: 'silent' }));
      onTestFinished(database.stop);
      return database;
    };
    const first = start();
    const isHeld = (database: typeof first) => database.election.locks().get('retention');
    await fill(first);
    await expect.poll(() => isHeld(first), WITHIN).toBe(true);
    if (kind === 'postgres') {
      const second = start();
      await trim(second);
      expect(isHeld(second)).toBe(false);
      expect(await count(second)).toEqual([1, 1, 1, 1]);
      await first.stop();
      await expect.poll(() => isHeld(second), WITHIN).toBe(true);
      await trim(second);
      expect(await count(second)).toEqual([0, 0, 0, 0]);
    } else {
      await trim(first);
      expect(await count(first)).toEqual([0, 0, 0, 0]);
    }
  }, 120_000);

  it('of the platform API is deleted by one that has loaded its stores', async () => {
    const address = await databases.create();
    const start = () => {
      const platform = startPlatform(platformSettings(address), { cleanEveryMs: 20 });
      onTestFinished(platform.stop);
      return platform;
    };
    const [asked, unasked] = [start(), start()];
    await asked.services();
    await expect.poll(() => asked.database.election.locks().get('api-retention'), WITHIN).toBe(true);
    expect([...unasked.database.election.locks().keys()]).toEqual(['retention']);
  }, 120_000);
});
