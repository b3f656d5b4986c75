import { expect, onTestFinished, test } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import type { Inventory } from '../../../src/model/target.ts';
import { createDockerLinks } from '../../../src/watch/docker/links.ts';
import { createMonitor } from '../../../src/watch/monitor/create-monitor.ts';
import { createSubnetProbes } from '../../../src/watch/monitor/create-subnet-probes.ts';
import { eventually } from '../../support/cli.ts';
import { startNode } from '../../support/fake-node.ts';
import { nodeTarget, serviceTarget, settings } from '../../support/views.ts';

/** A parent chain at the wire that answers with its newest block, or with nothing at all; and the methods of each request. */
async function useParent(height: number | undefined, newest: () => number = () => 0x6a000000) {
  const blockOf = (number = 0, timestamp = newest()) => ({
    number: `0x${number.toString(16)}`,
    timestamp: `0x${timestamp.toString(16)}`,
    hash: `0x${'0'.repeat(64)}`,
  });
  const blockAt = (tag: string) =>
    tag === 'latest' ? blockOf(height) : blockOf(Number(tag), newest() - 2 * ((height ?? 0) - Number(tag)));
  const methods = {
    eth_getBlockByNumber: ({ params: [tag] }: Asked) => blockAt(String(tag)),
    eth_chainId: () => '0x33',
  };
  const node = await startNode(methods, (answers, response) => {
    if (height !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(answers));
  });
  onTestFinished(node.stop);
  return { rpc: node.url, asked: () => node.requests.map((calls) => calls.map(({ method }) => method)) };
}

interface Asked {
  readonly params: readonly unknown[];
}

async function useMonitor() {
  const node = await startNode();
  onTestFinished(node.stop);
  const every = { kind: 'every', ms: 50 } as const;
  const runs: string[] = [];
  const monitor = createMonitor({
    clock: createProcessClock(),
    scheduled: true,
    onBug: (error) => expect.fail(`${error}`),
  });
  monitor.onRound({ onFinished: (_, round) => runs.push(round) });
  onTestFinished(monitor.stop);
  const load = (rpc: string | undefined, timeoutMs = 2_000, other = node.url) => {
    const checks = { ...settings, rpc: { ...settings.rpc, schedule: every, timeoutMs } };
    const target = nodeTarget('a', { rpc: other });
    const subnet = { name: 'd', consensus: 'XDPoS', targets: [target], settings: checks };
    const inventory: Inventory = {
      subnets: [{ ...subnet, ...(rpc !== undefined && { parentChain: { rpc } }) }],
      engines: {},
      alertmanager: { urls: [] },
    };
    monitor.load(inventory);
  };
  const headOf = () => monitor.snapshot()[0]?.facts?.parent?.observation.head;
  return { load, headOf, runs };
}

test('a parent chain that does not answer delays no round', async () => {
  const parent = await useParent(undefined);
  const { load, headOf, runs } = await useMonitor();
  load(parent.rpc);
  await eventually(() => expect(parent.asked()).toEqual([['eth_getBlockByNumber', 'eth_chainId']]));
  const before = runs.length;
  await eventually(() => expect(runs.length).toBeGreaterThan(before + 3));
  expect(headOf()).toBeUndefined();
});

test('what is known of a parent chain stays for as long as the inventory names it, and goes with it', async () => {
  const [first, second] = [await useParent(7), await useParent(8)];
  const { load, headOf } = await useMonitor();
  load(first.rpc);
  await eventually(() => expect(headOf()).toEqual({ ok: true, value: { number: 7, timestamp: 0x6a000000 } }));
  load(first.rpc, 1_000);
  expect(headOf()).toMatchObject({ value: { number: 7 } });
  expect(first.asked()).toHaveLength(1);
  load(first.rpc, 1_000, 'http://127.0.0.1:9');
  expect(headOf()).toMatchObject({ value: { number: 7 } });
  load(second.rpc);
  expect(headOf()).toBeUndefined();
  await eventually(() => expect(headOf()).toMatchObject({ value: { number: 8 } }));
  load(undefined);
  expect(headOf()).toBeUndefined();
});

test('a parent chain is read at once when the log of the relayer has a new error', async () => {
  const parent = await useParent(200, () => Math.floor(Date.now() / 1000));
  const relayer = serviceTarget('relayer');
  const subnet = { name: 'd', consensus: 'XDPoS', targets: [relayer], settings };
  const clock = createProcessClock();
  const probes = createSubnetProbes({
    ...{
      clock,
      scheduled: true,
      docker: createDockerLinks(
        () => {},
        () => {},
      ),
      keepsConnections: () => true,
    },
    ...{ onSeen: () => {}, onBug: (error) => expect.fail(`${error}`) },
  });
  onTestFinished(probes.stop);
  const contract = `0x${'c0'.repeat(20)}`;
  probes.load([{ ...subnet, parentChain: { rpc: parent.rpc, contract } }]);
  const readings = () => parent.asked().filter((methods) => methods.includes('eth_chainId')).length;
  await eventually(() => expect(readings()).toBe(1));
  probes.targetFailed(relayer);
  probes.targetFailed(relayer);
  await eventually(() => expect(readings()).toBe(2));
});

test('a parent chain whose newest block may be the last one is read again within ten seconds, and another one is not', async () => {
  const started = Math.floor(Date.now() / 1000);
  const [late, moving] = [await useParent(200, () => started - 8), await useParent(200, () => started)];
  const [ofLate, ofMoving] = [await useMonitor(), await useMonitor()];
  ofLate.load(late.rpc);
  ofMoving.load(moving.rpc);
  const readings = ({ asked }: typeof late) => asked().filter((methods) => methods.includes('eth_chainId')).length;
  await eventually(() => expect(readings(late)).toBe(2), 15_000);
  expect(readings(moving)).toBe(1);
});
