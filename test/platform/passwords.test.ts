import { stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { hashPassword, verifyPassword } from '../../src/platform/passwords.ts';

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
