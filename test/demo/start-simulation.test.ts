import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { START_HEIGHT } from '../../src/demo/chain.ts';
import { startSimulation } from '../../src/demo/start-simulation.ts';
import { block, call, isRefused } from './rpc.ts';
import { connectTo, isBroken, start } from './simulation.ts';

describe('a restart', () => {
  test('leaves a node without a committed block until four more have come', async () => {
    const { simulation, clock, node } = await start([]);
    await simulation.restartNode('subnet2');
    for (const seconds of [0, 7.9]) {
      clock.pass(seconds);
      expect(await block(node(2))).toMatchObject({
        Hash: (await block(node(1))).Hash,
        Number: null,
        Timestamp: null,
        EncodedRLP: '',
        Error: 'can not find latest committed block from consensus',
      });
      expect(await call(node(2), 'XDPoS_getV2BlockByNumber', ['committed'])).toHaveProperty('error', {
        code: -32000,
        message: 'method handler crashed',
      });
      expect(Number((await call(node(2), 'eth_blockNumber')).result)).toBeGreaterThanOrEqual(START_HEIGHT);
    }
    clock.pass(0.1);
    expect(await block(node(2))).toMatchObject({ Number: START_HEIGHT + 4, Error: '' });
    expect(await block(node(2), 'committed')).toMatchObject({ Number: START_HEIGHT + 2, Committed: true });
  });

  test('breaks its connections', async () => {
    const { simulation, node } = await start([]);
    const socket = await connectTo(node(2));
    const [, ended] = await Promise.all([simulation.restartNode('subnet2'), isBroken(socket)]);
    expect(ended).toBe(true);
    expect(await isRefused(node(2))).toBe(false);
  });

  test('can take the height down, and the node catches up', async () => {
    const { simulation, clock, heights } = await start([]);
    await simulation.restartNode('subnet2', { fallBy: 130 });
    clock.pass(1);
    expect((await heights())[1]).toBe(START_HEIGHT - 120);
    clock.pass(20);
    expect(new Set(await heights())).toEqual(new Set([START_HEIGHT + 10]));
  });

  test('of a node that is down leaves it down, and of an unknown node is refused', async () => {
    const { simulation, node } = await start(['node-down']);
    await simulation.restartNode('subnet2');
    expect(await isRefused(node(2))).toBe(true);
    await expect(simulation.restartNode('relayer')).rejects.toThrow(RangeError);
    expect(await isRefused(simulation.relayer)).toBe(false);
  });
});

const container = (service: string) => ({ container: { project: 'demo', service } });

test('the inventory names every address, container and log, and leaves all checks but those of the logs to their defaults', async () => {
  const { simulation } = await start([]);
  expect(parse(simulation.inventory())).toEqual({
    subnets: [
      {
        name: 'demo',
        consensus: 'XDPoS',
        nodes: simulation.nodes.map((node) => ({ ...node, ...container(node.name) })),
        bootnode: container('bootnode'),
        relayer: { url: simulation.relayer, ...container('relayer') },
        stats: { url: simulation.stats, ...container('stats'), logFiles: [expect.stringContaining('debug')] },
        frontend: { url: simulation.frontend, ...container('frontend') },
        parentChain: {
          rpc: simulation.parent,
          contract: 'xdc0c8e79f3534b00d9a3d4a856b665bf4ebc22f2ba',
          wallet: 'xdccd0340a2214058390d204a826de05312deadbeef',
          zeroContract: 'xdc6a0eb1d3f0e4f1c2b7a95d8c3e2f40516273849a',
          subnetZeroContract: 'xdc51b9e7a4c80d2f6315e4a7c9b8d0f2e4617389ac',
        },
        checks: { logs: expect.any(Object) },
      },
    ],
    docker: { host: '127.0.0.1', port: Number(new URL(simulation.docker).port) },
  });
});

test.each([['rpc: { schedule: every 1s, stallAfter: 5s }'], [{ rpc: { schedule: 'every 1s', stallAfter: '5s' } }]])(
  'the inventory takes other checks: %j',
  async (checks) => {
    const simulation = await startSimulation({ nodes: 1, faults: [], checks });
    onTestFinished(() => simulation.stop());
    expect(parse(simulation.inventory()).subnets[0].checks).toMatchObject({
      rpc: { schedule: 'every 1s', stallAfter: '5s' },
    });
  },
);

test('after stop nothing listens, no connection is left, and nothing can be switched on again', async () => {
  const { simulation } = await start(['node-down']);
  const socket = await connectTo(simulation.relayer);
  const [, ended] = await Promise.all([simulation.stop(), isBroken(socket)]);
  expect(ended).toBe(true);
  await simulation.setFaults([]);
  const urls = [
    ...simulation.nodes.map(({ rpc }) => rpc),
    simulation.relayer,
    simulation.stats,
    simulation.frontend,
    simulation.parent,
    simulation.docker,
  ];
  expect(await Promise.all(urls.map(isRefused))).toEqual(urls.map(() => true));
});

test('a process that stops its simulation ends, as no handle and no timer is left', async () => {
  const script = `
    import { startSimulation } from ${JSON.stringify(new URL('../../src/demo/start-simulation.ts', import.meta.url))};
    const simulation = await startSimulation({ nodes: 4, faults: ['node-down'] });
    await (await fetch(simulation.relayer)).text();
    await simulation.setFaults(['service-down']);
    await simulation.restartNode('subnet3');
    await simulation.stop();
    console.log('stopped');
  `;
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 10_000 });
  expect(stdout).toBe('stopped\n');
}, 15_000);
