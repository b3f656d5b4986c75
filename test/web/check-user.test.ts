import { hashSync } from 'bcrypt';
import { describe, expect, it } from 'vitest';
import { createCheckUser } from '../../src/web/check-user.ts';

const users = { prometheus: hashSync('scrape me', 4).replace('$2b$', '$2y$'), grace: hashSync('hopper', 4) };
const RIGHT = { ok: true };
const WRONG = { ok: false };
/** The /64 networks of many guessing addresses. */
const networks = (count: number) => Array.from({ length: count }, (_, i) => `2001:db8:0:${i.toString(16)}::/64`);
const waits = (answers: readonly object[]) => answers.filter((answer) => 'retryAfterS' in answer).length;

describe('a user of the web config', () => {
  it('is known by its name and password, and by both only', async () => {
    const check = createCheckUser(users);
    for (let times = 0; times < 2; times += 1) {
      expect(await check('prometheus', 'scrape me', 'a')).toEqual(RIGHT);
      expect(await check('grace', 'scrape me', 'a')).toEqual(WRONG);
      expect(await check('nobody', 'scrape me', 'a')).toEqual(WRONG);
      expect(await check('constructor', 'scrape me', 'a')).toEqual(WRONG);
    }
  });

  it('who was right is let in at once while guesses fill every place, also from their address', async () => {
    const check = createCheckUser(users);
    await check('prometheus', 'scrape me', 'scraper');
    const order: string[] = [];
    const flood = [...networks(100), ...Array<string>(20).fill('scraper')].map(async (from, i) => {
      const answer = await check('prometheus', `wrong ${i}`, from);
      order.push(from);
      return answer;
    });
    expect(await check('prometheus', 'scrape me', 'scraper')).toEqual(RIGHT);
    expect(await check('prometheus', 'scrape me', 'elsewhere')).toEqual(RIGHT);
    expect(order.filter((from) => from !== 'scraper').length).toBeLessThan(100);
    expect(waits(await Promise.all(flood))).toBeGreaterThan(0);
  });

  it('with a new password is never called wrong in a flood, and comes first from where a user was right before', async () => {
    const check = createCheckUser(users);
    await check('prometheus', 'scrape me', 'scraper');
    let compared = 0;
    const flood = networks(200).map(async (from) => {
      const answer = await check('prometheus', 'wrong', from);
      if (!('retryAfterS' in answer)) compared += 1;
    });
    expect(await check('grace', 'hopper', 'elsewhere')).toEqual({ ok: false, retryAfterS: expect.any(Number) });
    expect(await check('grace', 'hopper', 'scraper')).toEqual(RIGHT);
    // Only the guess that was being compared already came before it, or ended with it.
    expect(compared).toBeLessThanOrEqual(2);
    await Promise.all(flood);
    expect(compared).toBe(32);
  });

  it('goes before addresses that guessed wrong, when the own address has not', async () => {
    const check = createCheckUser(users);
    const guessing = networks(32);
    await Promise.all(guessing.map((from) => check('prometheus', 'wrong', from)));
    let compared = 0;
    const flood = guessing.map(async (from) => {
      await check('prometheus', 'wrong again', from);
      compared += 1;
    });
    expect(await check('grace', 'hopper', 'new')).toEqual(RIGHT);
    expect(compared).toBeLessThanOrEqual(2);
    await Promise.all(flood);
  });
});

describe('an address', () => {
  it('has ten wrong passwords, then waits, whether they come together or one by one', async () => {
    const check = createCheckUser(users);
    const guess = (i: number, from: string) => check('prometheus', `wrong ${i}`, from);
    const together = await Promise.all(Array.from({ length: 50 }, (_, i) => guess(i, 'together')));
    const oneByOne: object[] = [];
    for (let i = 0; i < 50; i += 1) oneByOne.push(await guess(i, 'one by one'));
    expect([waits(together), waits(oneByOne)]).toEqual([40, 40]);
    // Now a right one gets the same answer. The next guess is free after 36 s, of which some have passed.
    const refused = await check('prometheus', 'scrape me', 'together');
    expect(refused).toEqual({ ok: false, retryAfterS: expect.any(Number) });
    const { retryAfterS } = refused as { readonly retryAfterS: number };
    expect([retryAfterS > 3, retryAfterS <= 36]).toEqual([true, true]);
    expect(await check('prometheus', 'scrape me', 'another')).toEqual(RIGHT);
    expect(await check('prometheus', 'scrape me', 'together')).toEqual(RIGHT);
  });

  it('is not slowed by right passwords', async () => {
    const check = createCheckUser({ ...users, ...Object.fromEntries(networks(15).map((name) => [name, users.grace])) });
    for (const name of networks(15)) expect(await check(name, 'hopper', 'a proxy')).toEqual(RIGHT);
  });
});
