import { writeFileSync } from 'node:fs';
import { hashSync } from 'bcrypt';
import { expect, it } from 'vitest';
import { startApiDaemon } from '../support/api-daemon.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const NETWORKS = 40;
const ROUNDS = 12;

async function start() {
  const users = { prometheus: hashSync('scrape me', 6), grace: hashSync('hopper', 6) };
  writeFileSync(pathOf('web.yml'), `basic_auth_users: ${JSON.stringify(users)}\n`);
  const daemon = await startApiDaemon({
    SUBNETD_WEB_CONFIG: pathOf('web.yml'),
    SUBNETD_TRUSTED_PROXIES: '127.0.0.1',
    SUBNETD_DATABASE_URL: `sqlite:${pathOf('subnetd.db')}`,
  });
  cleanups.push(daemon.end);
  const ask = async (user: string, password: string, from: string, path = '/metrics') => {
    const headers = { authorization: `Basic ${btoa(`${user}:${password}`)}`, 'x-forwarded-for': from };
    const answer = await fetch(daemon.url + path, { headers });
    await answer.arrayBuffer();
    const wait = answer.headers.get('retry-after');
    return { status: answer.status, wait, asksForAnother: answer.headers.has('www-authenticate') };
  };
  return { daemon, ask };
}

it('guesses at a password keep no scraper out, are told to wait, and leave a log of bounded length', async () => {
  const { daemon, ask } = await start();
  expect((await ask('prometheus', 'scrape me', '192.0.2.1')).status).toBe(200);
  const refused: (Awaited<ReturnType<typeof ask>> & { readonly network: number })[] = [];
  const scraped: number[] = [];
  const anew: Awaited<ReturnType<typeof ask>>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // From another address of each /64 each time.
    const guesses = Array.from({ length: NETWORKS }, async (_, network) => {
      const from = `2001:db8:0:${network.toString(16)}::${round}`;
      refused.push({ network, ...(await ask(`secret${round}`, `guess ${round}`, from)) });
    });
    const scrapes = [
      // From an address of its own, and from a network that is guessed from.
      ask('prometheus', 'scrape me', '192.0.2.1'),
      ask('prometheus', 'scrape me', '2001:db8::1', '/status.json'),
    ];
    anew.push(await ask('grace', 'hopper', '198.51.100.1'));
    for (const { status } of await Promise.all(scrapes)) scraped.push(status);
    await Promise.all(guesses);
  }
  expect(scraped.filter((status) => status !== 200)).toEqual([]);
  const waits = ({ status, wait, asksForAnother }: (typeof anew)[number]) =>
    status === 503 && Number(wait) > 0 && !asksForAnother;
  expect(anew.filter((answer) => answer.status !== 200 && !waits(answer))).toEqual([]);
  expect(refused.filter((answer) => answer.status !== 401 && !waits(answer))).toEqual([]);
  const wrong = Map.groupBy(
    refused.filter(({ status }) => status === 401),
    ({ network }) => network,
  );
  // One more is given after 36 seconds, which are over if this machine is very slow.
  expect(Math.max(...[...wrong.values()].map(({ length }) => length))).toBeLessThanOrEqual(11);
  expect(refused.some(waits)).toBe(true);

  await daemon.end();
  const lines = daemon
    .output()
    .split('\n')
    .filter((line) => line.includes('"basic auth refused"'))
    .map(
      (line) => JSON.parse(line) as { readonly count: number; readonly address: string | null; readonly level: string },
    );
  // Twenty addresses at once, the same again with their counts at the end, and all others as one; a minute later once more.
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.length).toBeLessThanOrEqual(82);
  expect(lines[0]).toMatchObject({ level: 'warn', address: expect.stringMatching(/^2001:db8:/), count: 1 });
  expect(lines.reduce((sum, { count }) => sum + count, 0)).toBe(refused.length + anew.filter(waits).length);
  expect(daemon.output()).not.toMatch(/secret\d|guess \d|hopper|scrape me/);
}, 120_000);
