import { writeFileSync } from 'node:fs';
import { hash } from 'bcrypt';
import { expect, it } from 'vitest';
import { readWebConfig } from '../../src/http/web-config.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { pathOf } = useCleanups();

it('a flood of wrong passwords is refused without comparing each, and harms no user who was let in before', async () => {
  writeFileSync(pathOf('web.yml'), `basic_auth_users: { prometheus: '${await hash('scrape me', 10)}' }\n`);
  const read = readWebConfig(pathOf('web.yml'));
  if (!read.ok) throw new Error(read.errors.join());
  const { checkUser } = read.config;
  expect(await checkUser?.('prometheus', 'scrape me')).toBe(true);
  let compared = 0;
  const flood = Array.from({ length: 1_000 }, async (_, i) => {
    expect(await checkUser?.('prometheus', `wrong ${i}`)).toBe(false);
    compared += 1;
  });
  // Those above the bound are refused before the first comparison has ended.
  expect(await checkUser?.('prometheus', 'scrape me')).toBe(true);
  expect(await checkUser?.('prometheus', 'another')).toBe(false);
  expect(compared).toBeGreaterThanOrEqual(900);
  await Promise.all(flood);
  expect(await checkUser?.('nobody', 'scrape me')).toBe(false);
});
