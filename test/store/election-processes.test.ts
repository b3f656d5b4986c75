import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, startDaemon } from '../support/cli.ts';
import { type OwnPostgres, startPostgres } from '../support/postgres.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

let postgres: OwnPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres?.stop());

const INVENTORY = `
subnets:
  - name: devnet
    consensus: XDPoS
    nodes: [{ name: subnet1, rpc: 'http://127.0.0.1:1' }]
`;
const LOCKS = ['retention', 'shard-0'];

/** A daemon of a hot pair, and which locks it holds by its metrics. */
async function start(instance: string, url: string) {
  const config = pathOf('subnetd.yaml');
  writeFileSync(config, INVENTORY);
  const environment = { SUBNETD_DATABASE_URL: url, SUBNETD_SHARD: '0/1', SUBNETD_INSTANCE: instance };
  const daemon = await startDaemon(config, environment);
  cleanups.push(() => {
    daemon.child.kill('SIGKILL');
    return daemon.finished;
  });
  const held = async () => {
    const page = await (await fetch(`${daemon.url}/metrics`)).text();
    return [...page.matchAll(/^subnetd_lock_held{lock="([^"]+)"} 1$/gm)].map(([, lock]) => lock).toSorted();
  };
  return { ...daemon, held };
}
type Daemon = Awaited<ReturnType<typeof start>>;

const untilHolds = (daemon: Daemon, locks: readonly string[] = LOCKS) =>
  eventually(async () => expect(await daemon.held()).toEqual(locks));

/** Waits until another daemon holds what one has lost, and prints how long that takes. */
async function measure(how: string, lose: () => unknown, other: Daemon): Promise<void> {
  const before = performance.now();
  await lose();
  await untilHolds(other);
  console.log(`${how}: the locks moved in ${((performance.now() - before) / 1_000).toFixed(1)} s`);
}

it('a daemon holds the locks of one that is stopped, killed or frozen, which asks again before it does its work', async () => {
  const url = await postgres.createDatabase();
  const first = await start('first', url);
  await untilHolds(first);
  const second = await start('second', url);
  await eventually(() => expect(second.output()).toContain('the database answers'));
  expect(await second.held()).toEqual([]);

  await measure('SIGSTOP', () => first.child.kill('SIGSTOP'), second);
  // The answer waits in the process, which has asked the server before it was stopped.
  const late = first.held();
  first.child.kill('SIGCONT');
  expect(await late).toEqual([]);
  await eventually(() => expect(first.output()).toContain('this instance no longer holds a database lock'));
  expect(await second.held()).toEqual(LOCKS);

  await measure('SIGKILL', () => second.child.kill('SIGKILL'), first);
  const third = await start('third', url);
  await measure('SIGTERM', () => first.child.kill('SIGTERM'), third);
  expect((await first.finished).code).toBe(0);

  await measure('a restart of PostgreSQL', () => postgres.halt().then(postgres.resume), third);
  third.child.kill('SIGTERM');
  expect((await third.finished).code).toBe(0);
}, 240_000);
