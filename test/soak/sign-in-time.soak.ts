import { describe, expect, it } from 'vitest';
import { parseTrustedProxies } from '../../src/lib/addresses.ts';
import { type Api, startApi } from '../support/api.ts';
import { DATABASE_KINDS } from '../support/databases.ts';
import { rankScore } from '../support/rank-score.ts';
import { useDatabases } from '../support/use-api.ts';

const TRIES = 200;
/** So few tries of each name that no wait after failures begins. */
const TRIES_EACH = 8;
const WARM_UP = 20;

const proxies = parseTrustedProxies('127.0.0.0/8');
if (!proxies.ok) throw new Error('unreachable');
const { proxies: trustedProxies } = proxies;

const known = (index: number) => `user${Math.floor(index / TRIES_EACH)}`;
const unknown = (index: number) => `none${Math.floor(index / TRIES_EACH)}`;
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Runs both by turns, in an order that changes, and compares the times of their answers. */
async function compare(what: string, ask: (isKnown: boolean, index: number) => Promise<unknown>) {
  const times = { known: [] as number[], unknown: [] as number[] };
  const take = async (kind: 'known' | 'unknown', index: number) => {
    const startedAt = performance.now();
    await ask(kind === 'known', index);
    if (index >= WARM_UP) times[kind].push(performance.now() - startedAt);
  };
  for (let index = 0; index < TRIES + WARM_UP; index += 1)
    for (const kind of index % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const))
      await take(kind, index);
  const distance = rankScore(times.known, times.unknown);
  const [one, other] = [median(times.known), median(times.unknown)].map((ms) => ms.toFixed(2));
  process.stdout.write(`${what}: known ${one} ms, unknown ${other} ms, rank distance ${distance.toFixed(2)}\n`);
  return { distance, times };
}

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);

  /** Runs a test with an API that has all users, with its limits on. */
  async function withUsers(run: (api: Api) => Promise<void>): Promise<void> {
    const limits = { rate: 0, burst: 0, signIns: 1_000_000 };
    const api = await startApi(await databases.create(), { limits, trustedProxies });
    try {
      const person = { FirstName: 'F', LastName: 'L', Password: 'a good password', IsActive: true, CreateBy: 1 };
      const names = new Set(Array.from({ length: TRIES + WARM_UP }, (_, index) => known(index)));
      for (const UserName of names) {
        const body = { ...person, UserName, EmailID: `${UserName}@example.com` };
        expect((await api.send('POST', '/api/AdminUser/Add', body)).http).toBe(200);
      }
      await run(api);
    } finally {
      await api.stop();
    }
  }
  // Each try comes from an address of its own.
  const from = (index: number) => ({ 'x-forwarded-for': `192.0.${2 + Math.floor(index / 250)}.${index % 250}` });

  it('a sign-in that fails takes the same time for a known and an unknown user name', async () =>
    withUsers(async (api) => {
      const { distance, times } = await compare(`sign-in on ${kind}`, async (isKnown, index) => {
        const body = { UserName: (isKnown ? known : unknown)(index), Password: 'a wrong password' };
        const { appErrorCode } = await api.sendBare('POST', '/api/Auth/Token', body, from(index));
        expect(appErrorCode).toBe(1104);
      });
      expect(times.known).toHaveLength(TRIES);
      expect(Math.abs(distance)).toBeLessThan(4);
      // Could it fail? A name that is half as slow again shows.
      const slower = times.known.map((ms) => ms * 1.5);
      expect(rankScore(slower, times.unknown)).toBeGreaterThan(4);
    }));

  it('an update that is refused takes the same time with the present password and with another one', async () =>
    withUsers(async (api) => {
      const user = { FirstName: 'F', LastName: 'L', UserName: 'user1', EmailID: 'user0@example.com', IsActive: true };
      const { distance, times } = await compare(`refused update on ${kind}`, async (isKnown) => {
        const body = { ...user, Password: isKnown ? 'a good password' : 'a wrong password', UpdateBy: 1 };
        expect((await api.send('PUT', '/api/AdminUser/Update/1', body)).appErrorCode).toBe(1103);
      });
      expect(times.known).toHaveLength(TRIES);
      expect(Math.abs(distance)).toBeLessThan(4);
    }));
});
