import { afterEach, expect, it } from 'vitest';
import { parseTrustedProxies } from '../../../../src/lib/addresses.ts';
import { hashPassword, verifyPassword } from '../../../../src/platform/api/passwords.ts';
import { ROOT_PASSWORD } from '../../../support/api.ts';
import { useApi, useDatabases } from '../../../support/use-api.ts';

const parsed = parseTrustedProxies('127.0.0.0/8');
if (!parsed.ok) throw new Error('unreachable');
const limits = { rate: 0, burst: 0, signIns: 10 };
const api = useApi(useDatabases('sqlite'), { limits, trustedProxies: parsed.proxies });
const HOME = '203.0.113.7';
/** So many strangers may wait. */
const MOST = 32;

const signIn = (address: string, UserName = 'root') =>
  api.sendBare('POST', '/api/Auth/Token', { UserName, Password: ROOT_PASSWORD }, { 'x-forwarded-for': address });
const network = (number: number) => `2001:db8:${number.toString(16)}::1`;

let isFlooded = false;
let flood: readonly Promise<unknown>[] = [];
let compared = 0;

/** Compares passwords in the queue of the API, so many at a time, until the test ends. */
async function keepComparing(asker: 'known' | 'stranger', together: number) {
  const hash = await hashPassword('a good password');
  isFlooded = true;
  const one = async () => {
    for (; isFlooded; compared += 1) await verifyPassword(hash, 'wrong', asker);
  };
  flood = Array.from({ length: together }, one);
  return hash;
}

afterEach(async () => {
  isFlooded = false;
  await Promise.all(flood);
});

it('while strangers fill the queue of passwords, more of them are refused, and cost a user nothing', async () => {
  // Those that are known come first, so the strangers stay.
  const hash = await keepComparing('known', 3);
  flood = [...flood, ...Array.from({ length: MOST }, () => verifyPassword(hash, 'wrong', 'stranger'))];
  for (let number = 1; number <= 11; number += 1) {
    const refused = await signIn(network(number));
    expect(refused).toMatchObject({
      ...{ http: 400, appErrorCode: 1102 },
      errMessage:
        'too many passwords are waiting to be checked, so this one was not; retry after the time in Retry-After',
    });
    expect(refused.headers.get('retry-after')).toBe('5');
    // The answer is that of a user who exists.
    if (number === 1) expect((await signIn(network(number), 'nobody')).text).toBe(refused.text);
  }
  isFlooded = false;
  await Promise.all(flood);
  expect((await signIn(network(99))).http).toBe(200);
});

it('while strangers fill the queue of passwords, a known address and a caller with a key wait for none of them', async () => {
  expect((await signIn(HOME)).http).toBe(200);
  const user = { FirstName: 'A', LastName: 'L', UserName: 'ada', EmailID: 'a@example.com', IsActive: true };
  await api.send('POST', '/api/AdminUser/Add', { ...user, Password: 'analytical engine', CreateBy: 1 });
  await keepComparing('stranger', MOST);
  const before = compared;
  expect((await signIn(HOME)).http).toBe(200);
  // By turns, all who waited before would come first.
  expect(compared - before).toBeLessThan(MOST);
  const then = compared;
  const update = { ...user, Password: 'difference engine', UpdateBy: 1 };
  expect((await api.send('PUT', '/api/AdminUser/Update/1', update)).http).toBe(200);
  expect(compared - then).toBeLessThan(MOST);
});
