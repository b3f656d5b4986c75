import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createProcessClock } from '../../src/model/clock.ts';
import type { Inventory } from '../../src/model/target.ts';
import { createMonitor } from '../../src/monitor/create-monitor.ts';
import { eventually } from '../support/cli.ts';
import { startNode } from '../support/fake-node.ts';
import { nodeTarget, settings } from '../support/views.ts';

/** A parent chain at the wire that answers with its newest block, or with nothing at all. */
async function useParent(height: number | undefined) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
    asked.push(method);
    if (height === undefined) return;
    const result = { number: `0x${height.toString(16)}`, timestamp: '0x6a000000', hash: `0x${'0'.repeat(64)}` };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { rpc: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function useMonitor() {
  const node = await startNode();
  onTestFinished(node.stop);
  const every = { kind: 'every', ms: 50 } as const;
  const runs: string[] = [];
  const monitor = createMonitor({
    clock: createProcessClock(),
    scheduled: true,
    onFinished: (_, round) => runs.push(round),
    onLate: () => {},
    onBug: (error) => expect.fail(`${error}`),
  });
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
  await eventually(() => expect(parent.asked.toSorted()).toEqual(['eth_chainId', 'eth_getBlockByNumber']));
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
  expect(first.asked).toHaveLength(2);
  load(first.rpc, 1_000, 'http://127.0.0.1:9');
  expect(headOf()).toMatchObject({ value: { number: 7 } });
  load(second.rpc);
  expect(headOf()).toBeUndefined();
  await eventually(() => expect(headOf()).toMatchObject({ value: { number: 8 } }));
  load(undefined);
  expect(headOf()).toBeUndefined();
});
