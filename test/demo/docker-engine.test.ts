import { once } from 'node:events';
import { get } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createDocker } from '../../src/watch/docker/engine.ts';
import { eventually } from '../support/cli.ts';
import { block } from './rpc.ts';
import { start } from './simulation.ts';

const dockerOf = async (faults: Parameters<typeof start>[0]) => {
  const { simulation } = await start(faults);
  const { hostname, port } = new URL(simulation.docker);
  const docker = createDocker({ host: hostname, port: Number(port) });
  onTestFinished(docker.stop);
  const look = (service: string) => docker.inspect({ project: 'demo', service }, AbortSignal.timeout(5_000));
  return { simulation, docker, look };
};

test('its containers are found by label and by name, with their memory, and no others are', async () => {
  const { docker, look } = await dockerOf([]);
  const found = {
    kind: 'found',
    container: { name: 'demo-subnet1-1', running: true, memoryBytes: expect.any(Number) },
  };
  expect(await look('subnet1')).toMatchObject(found);
  expect(await docker.inspect({ name: 'demo-subnet1-1' }, AbortSignal.timeout(5_000))).toMatchObject(found);
  expect(await look('subnet9')).toEqual({ kind: 'missing' });
  expect(await docker.inspect({ name: 'demo-subnet9-1' }, AbortSignal.timeout(5_000))).toEqual({ kind: 'missing' });
});

test('it reads and restarts, and refuses all else', async () => {
  const { simulation } = await dockerOf([]);
  for (const path of ['/containers/demo-subnet1-1/stop', '/containers/create'])
    expect((await fetch(simulation.docker + path, { method: 'POST' })).status).toBe(403);
  expect((await fetch(`${simulation.docker}/images/json`)).status).toBe(404);
});

test.each(['/containers/json?filters=x', '//', '/containers/json?filters=null'])(
  'it refuses what it cannot parse, as %s, and lives on',
  async (path) => {
    const { simulation } = await dockerOf([]);
    const { hostname, port } = new URL(simulation.docker);
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    // The path as it is: a URL would normalise it.
    get({ hostname, port, path }, (response) => resolve(response.resume().statusCode)).on('error', reject);
    expect(await promise).toBe(400);
    expect((await fetch(`${simulation.docker}/info`)).status).toBe(200);
  },
);

test('it restarts no container that a fault keeps as it is, and says so', async () => {
  const { simulation } = await dockerOf(['node-down']);
  const restart = (service: string) =>
    fetch(`${simulation.docker}/containers/demo-${service}-1/restart`, { method: 'POST' });
  const refused = await restart('subnet2');
  expect([refused.status, await refused.json()]).toEqual([
    500,
    { message: 'a fault of the demo keeps this container as it is' },
  ]);
  expect((await restart('subnet9')).status).toBe(404);
});

test.each([
  ['subnet-halted', 'subnet3'],
  ['node-stalled', 'subnet2'],
] as const)('%s from the start: a node has printed its last block when it came', async (fault, name) => {
  const { simulation, docker } = await dockerOf([fault]);
  let text = '';
  for await (const chunk of await docker.openTail(`demo-${name}-1`, 200, AbortSignal.timeout(5_000))) text += chunk;
  const { rpc = '' } = simulation.nodes.find((node) => node.name === name) ?? {};
  expect(text).toMatch(new RegExp(`Imported new .* number=${(await block(rpc)).Number} `));
});

test('the last lines of a log that runs come at once, and no others', async () => {
  const { docker } = await dockerOf([]);
  const read = async (lines: number) => {
    let text = '';
    for await (const chunk of await docker.openTail('demo-subnet2-1', lines, AbortSignal.timeout(5_000))) text += chunk;
    return text.split('\n').slice(0, -1);
  };
  const all = await read(200);
  expect(all.length).toBeGreaterThan(3);
  expect(await read(2)).toHaveLength(2);
});

test('a container that stops and starts sends its events, ends its log, and continues it', async () => {
  const { simulation, docker, look } = await dockerOf([]);
  const actions: string[] = [];
  let up = false;
  docker.follow(
    ({ service, action }) => actions.push(`${service} ${action}`),
    (state) => {
      up = state;
    },
  );
  await eventually(() => expect(up).toBe(true));
  const open = async () => {
    const log = await docker.openLog('demo-subnet2-1', 0, AbortSignal.timeout(30_000));
    let text = '';
    log.on('data', (chunk) => {
      text += chunk;
    });
    return { log, text: () => text };
  };
  const before = await open();
  await simulation.setFaults(['node-down']);
  await once(before.log, 'end');
  expect(before.text()).toContain('Imported new chain segment');
  expect(await look('subnet2')).toMatchObject({ container: { running: false, status: 'exited', exitCode: 137 } });

  await simulation.setFaults([]);
  await eventually(() =>
    expect(actions).toEqual(['kill', 'die', 'stop', 'start'].map((action) => `subnet2 ${action}`)),
  );
  const after = await open();
  await eventually(() => expect(after.text().match(/Starting nodes with bootnodes/g)).toHaveLength(2));
  expect(await look('subnet2')).toMatchObject({ container: { running: true } });
});

test('a log that is refused from now on breaks off, and opens again when it is not', async () => {
  const { simulation, docker } = await dockerOf([]);
  const open = (name: string) => docker.openLog(name, 0, AbortSignal.timeout(30_000));
  const log = await open('demo-stats-1');
  log.on('error', () => {});
  const closed = new Promise((resolve) => log.once('close', resolve));
  await simulation.setFaults(['log-unreadable']);
  log.resume();
  await closed;
  await expect(open('demo-stats-1')).rejects.toThrow('status 403');
  (await open('demo-subnet1-1')).destroy();
  await simulation.setFaults([]);
  (await open('demo-stats-1')).destroy();
});

test('clock-wrong: one node prints times that are 90 s behind those of its engine, and no other does', async () => {
  const { docker } = await dockerOf(['clock-wrong']);
  const secondsBehind = async (service: string) => {
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const log = await docker.openLog(`demo-${service}-1`, 0, ending.signal);
    log.on('error', () => {});
    let text = '';
    log.on('data', (chunk) => {
      text += chunk;
    });
    const find = () => [...text.matchAll(/(2026-01-02T[\d:]{8})\S+ INFO \[01-02\|([\d:]{8})\] Imported/g)];
    await eventually(() => expect(find().length).toBeGreaterThan(10));
    return new Set(find().map(([, at, own]) => (Date.parse(`${at}Z`) - Date.parse(`2026-01-02T${own}Z`)) / 1_000));
  };
  expect(await secondsBehind('subnet2')).toEqual(new Set([90]));
  expect(await secondsBehind('subnet3')).toEqual(new Set([0]));
});
