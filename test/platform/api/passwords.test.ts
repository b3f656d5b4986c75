import { stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { failureIn } from '../../../src/platform/api/outcome.ts';
import { hashPassword, verifyPassword } from '../../../src/platform/api/passwords.ts';
import { cheapHash } from '../../support/api.ts';

it('many passwords at once leave threads for what probes wait for', async () => {
  const hash = await hashPassword('correct horse battery');
  await verifyPassword(hash, 'wrong');
  let done = 0;
  const all = Array.from({ length: 24 }, async (_, i) => {
    const password = i === 0 ? 'correct horse battery' : `wrong ${i}`;
    const isGood = i % 2 === 0 ? await verifyPassword(hash, password) : (await hashPassword(password)) === hash;
    done += 1;
    return isGood;
  });
  await Promise.race(all);
  // Its turn would come after all of them, were they handed to the threads at once.
  await stat('.');
  expect(done).toBeLessThan(12);
  expect((await Promise.all(all)).filter(Boolean)).toHaveLength(1);
});

it('a password that fails to be compared holds up none that comes after it', async () => {
  const hash = await hashPassword('correct horse battery');
  await expect(verifyPassword('no hash', 'x')).rejects.toThrow();
  expect(await verifyPassword(hash, 'correct horse battery')).toBe(true);
});

it('few passwords of strangers wait, the rest is refused, and one that is known comes before them', async () => {
  const hash = await hashPassword('correct horse battery');
  await verifyPassword(hash, 'wrong');
  const order: string[] = [];
  const check = async (asker: 'known' | 'stranger') => {
    try {
      await verifyPassword(hash, 'wrong', asker);
      order.push(asker);
    } catch (error) {
      expect(failureIn(error)).toMatchObject({ code: 1102, headers: { 'retry-after': '5' } });
      order.push('refused');
    }
  };
  const strangers = Array.from({ length: 40 }, () => check('stranger'));
  await Promise.all([...strangers, check('known'), check('known')]);
  // One is being compared when the others come, and 32 wait.
  expect(order.slice(0, 7)).toEqual(Array(7).fill('refused'));
  expect(order.slice(7, 10)).toEqual(['stranger', 'known', 'known']);
  expect(order.slice(10)).toEqual(Array(32).fill('stranger'));
});

it('of those that are known, 256 wait and the rest is refused', async () => {
  const hash = await cheapHash();
  await verifyPassword(hash, 'wrong');
  const checks = await Promise.allSettled(Array.from({ length: 270 }, () => verifyPassword(hash, 'wrong')));
  const refused = checks.flatMap((one) => (one.status === 'rejected' ? [failureIn(one.reason)?.code] : []));
  // One is being compared when the others come.
  expect(refused).toEqual(Array(13).fill(1102));
});
