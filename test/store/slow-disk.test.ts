import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { eventually, startDaemon } from '../support/cli.ts';
import { startNode } from '../support/fake-node.ts';
import { createApiKey } from '../support/run-command.ts';
import { slowDisk } from '../support/slow-disk.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

/** A daemon with a round each second, and a client of its platform API. */
async function startSlow(flushMs: number) {
  const node = await startNode();
  cleanups.push(node.stop);
  const config = pathOf('subnetd.yaml');
  writeFileSync(
    config,
    `
subnets:
  - name: devnet
    nodes: [{ name: a, rpc: '${node.url}' }]
    checks: { rpc: { schedule: every 1s, timeout: 900ms } }
`,
  );
  const daemon = await startDaemon(config);
  cleanups.push(() => {
    daemon.child.kill('SIGKILL');
    return daemon.finished;
  });
  await daemon.waitFor(/the database answers/);
  const apiKey = await createApiKey({ SUBNETD_DATABASE_URL: `sqlite:${pathOf('data/subnetd.db')}` }, 'write');
  const read = async (path: string) => {
    const answer = await fetch(`${daemon.url}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  await eventually(async () => expect((await read('/readyz')).status).toBe(200));
  const list = async () => JSON.parse((await read(`/api/ProjectType/ListAll/0?apiKey=${apiKey}`)).text);
  // What is loaded for the first call is not what the disk delays.
  expect(await list()).toMatchObject({ status: 'success' });
  const disk = await slowDisk(daemon.child.pid, flushMs, pathOf('trace'));
  cleanups.push(disk.stop);
  const add = async (ContractName: string) => {
    const answer = await fetch(`${daemon.url}/api/ProjectType/Add`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiKey, ContractName, IsDeleted: false, CreateBy: 1 }),
    });
    return (await answer.json()) as { readonly status: string };
  };
  return { daemon, read, list, disk, add };
}

it('a disk that takes seconds for each flush delays no round and no page, and a write is answered after its flush', async () => {
  const { daemon, read, disk, add } = await startSlow(5_000);
  const rounds = async () => {
    const { text } = await read('/metrics');
    const count = (name: string) => Number(new RegExp(`^${name}{[^}]*round="rpc"[^}]*} (\\d+)$`, 'm').exec(text)?.[1]);
    return { ran: count('subnetd_round_duration_seconds_count'), late: count('subnetd_rounds_late_total') };
  };
  const before = await rounds();
  const order: string[] = [];
  const added = add('first').then(({ status }) =>
    order.push(`the write after ${disk.flushed() > 0 ? 'a' : 'no'} flush: ${status}`),
  );
  await eventually(() => expect(disk.isFlushing()).toBe(true));
  for (const path of ['/livez', '/readyz', '/metrics', '/status.json'])
    order.push(`${path}: ${(await read(path)).status}`);
  await eventually(async () => expect((await rounds()).ran).toBeGreaterThan(before.ran + 1));
  order.push('two rounds');
  await added;
  expect(order).toEqual([
    '/livez: 200',
    '/readyz: 200',
    '/metrics: 200',
    '/status.json: 200',
    'two rounds',
    'the write after a flush: success',
  ]);
  expect((await rounds()).late).toBe(before.late);
  expect(daemon.output()).toMatch(
    /the database has been busy with one statement for \d+s: checks and reads continue, writes wait; check whether its disk is slow and what else uses it/,
  );
}, 120_000);

it('a disk that hangs for longer is reported, what was read is still read, and the write that waits is stored', async () => {
  const { daemon, list, disk, add } = await startSlow(16_000);
  const order: string[] = [];
  const added = add('first').then(({ status }) => order.push(`the write: ${status}`));
  await daemon.waitFor(
    /the database has not answered for 10s: checks and reads continue, writes wait; check whether its disk hangs and what else uses it/,
  );
  order.push(`the list: ${(await list()).status}`);
  await added;
  expect(order).toEqual(['the list: success', 'the write: success']);
  await disk.stop();
  await daemon.waitFor(/the database answers.*the database has not answered.*the database answers/s);
  expect((await list()).data.items).toMatchObject([{ ContractName: 'first' }]);
}, 120_000);
