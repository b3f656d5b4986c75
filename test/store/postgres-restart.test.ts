import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDaemon, eventually as within } from '../support/cli.ts';
import { type OwnPostgres, startPostgres } from '../support/postgres.ts';
import { createApiKey } from '../support/run-command.ts';
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
    checks: { rpc: { schedule: every 200ms, timeout: 150ms } }
`;
const WRITERS = 6;

/** A server that recovers from a crash takes its time where much else runs. */
const eventually = (attempt: () => Promise<void>) => within(attempt, 40_000);

const TERMINATE = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'subnetd'";

it('two replicas under load outlive each way in which PostgreSQL ends connections, and lose no acknowledged write', async () => {
  const url = await postgres.createDatabase();
  const environment = { SUBNETD_DATABASE_URL: url, SUBNETD_RATE_LIMIT: '0' };
  const apiKey = await createApiKey(environment, 'write');
  const config = pathOf('subnetd.yaml');
  writeFileSync(config, INVENTORY);
  const daemons = await Promise.all([startDaemon(config, environment), startDaemon(config, environment)]);
  cleanups.push(() => daemons.map(({ child }) => child.kill('SIGKILL')));

  const acknowledged: string[] = [];
  const refusals = new Set<string>();
  const written = daemons.map(() => 0);
  let sent = 0;
  let isOver = false;
  const write = async (at: number) => {
    while (!isOver) {
      sent += 1;
      const ContractName = `contract ${sent}`;
      const response = await fetch(`${daemons[at]?.url}/api/ProjectType/Add`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ apiKey, ContractName, IsDeleted: false, CreateBy: 1 }),
      });
      const answer = (await response.json()) as { status: string; appErrorCode?: number };
      if (answer.status === 'success') {
        acknowledged.push(ContractName);
        written[at] = (written[at] ?? 0) + 1;
      } else {
        refusals.add(`${response.status} ${answer.appErrorCode}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  const writers = Promise.all(Array.from({ length: WRITERS }, (_, index) => write(index % daemons.length)));
  writers.catch(() => {});
  cleanups.push(() => {
    isOver = true;
    return writers.catch(() => {});
  });
  const metrics = async (at: number) => (await fetch(`${daemons[at]?.url}/metrics`)).text();
  const runs = async (at: number) =>
    Number(/^subnet_check_runs_total{.*latest_block.*} (\d+)$/m.exec(await metrics(at))?.[1]);
  const shouldContinue = async () => {
    const before = { written: [...written], runs: await Promise.all(daemons.map((_, at) => runs(at))) };
    await eventually(async () => {
      for (const at of daemons.keys()) {
        expect(written[at]).toBeGreaterThan((before.written[at] ?? 0) + 20);
        expect(await runs(at)).toBeGreaterThan(before.runs[at] ?? Number.NaN);
        expect(await metrics(at)).toMatch(/^subnetd_database_up 1$/m);
      }
    });
  };

  await shouldContinue();
  const ways: readonly (() => Promise<void>)[] = [
    async () => {
      await postgres.halt('SIGINT');
      await postgres.resume();
    },
    async () => {
      await postgres.halt('SIGQUIT');
      await postgres.resume();
    },
    () => postgres.query(TERMINATE),
    () => postgres.query(TERMINATE),
  ];
  for (const way of ways) {
    await way();
    await shouldContinue();
  }
  await postgres.halt();
  await eventually(async () => {
    for (const at of daemons.keys()) expect(await metrics(at)).toMatch(/^subnetd_database_up 0$/m);
  });
  const before = await Promise.all(daemons.map((_, at) => runs(at)));
  await eventually(async () => {
    for (const at of daemons.keys()) expect(await runs(at)).toBeGreaterThan(before[at] ?? Number.NaN);
  });
  await postgres.resume();
  await shouldContinue();
  isOver = true;
  await writers;

  expect([...refusals]).toEqual(['500 1106']);
  const list = await fetch(`${daemons[0]?.url}/api/ProjectType/ListAll/0?apiKey=${apiKey}`);
  const { data } = (await list.json()) as { data: { items: { ContractName: string }[] } };
  const kept = new Set(data.items.map(({ ContractName }) => ContractName));
  expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
  for (const { child, finished } of daemons) {
    child.kill('SIGTERM');
    expect((await finished).code).toBe(0);
  }
}, 240_000);
