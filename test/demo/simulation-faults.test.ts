import { describe, expect, test } from 'vitest';
import { START_HEIGHT } from '../../src/demo/chain.ts';
import { startSimulation } from '../../src/demo/start-simulation.ts';
import { block, call, isRefused, post } from './rpc.ts';
import { start } from './simulation.ts';

describe('on the wire', () => {
  test('healthy nodes agree, advance and see each other', async () => {
    const { clock, heights, peerCounts } = await start([]);
    expect(await heights()).toEqual(Array(4).fill(START_HEIGHT));
    clock.pass(60);
    expect(await heights()).toEqual(Array(4).fill(START_HEIGHT + 30));
    expect(await peerCounts()).toEqual([3, 3, 3, 3]);
  });

  test('node-stalled: one height is stalled, the others rise, and all peers stay', async () => {
    const { clock, heights, peerCounts } = await start(['node-stalled']);
    clock.pass(60);
    expect(await heights()).toEqual([START_HEIGHT + 30, START_HEIGHT, START_HEIGHT + 30, START_HEIGHT + 30]);
    expect(await peerCounts()).toEqual([3, 3, 3, 3]);
  });

  test('node-down: one address refuses, and each other node has lost a peer', async () => {
    const { clock, node } = await start(['node-down']);
    clock.pass(60);
    expect(await isRefused(node(2))).toBe(true);
    for (const number of [1, 3, 4]) {
      expect(await block(node(number))).toMatchObject({ Number: START_HEIGHT + 30 });
      expect((await call(node(number), 'net_peerCount')).result).toBe('0x2');
      expect((await call(node(number), 'admin_peers')).result).toHaveLength(2);
    }
  });

  test('node-down in a subnet of three: the chain halts', async () => {
    const { clock, node } = await start(['node-down'], 3);
    clock.pass(120);
    expect(await block(node(1))).toMatchObject({ Number: START_HEIGHT });
  });

  test('node-behind: one height advances 25 blocks below the others', async () => {
    const { clock, heights } = await start(['node-behind']);
    expect(await heights()).toEqual([START_HEIGHT, START_HEIGHT - 25, START_HEIGHT, START_HEIGHT]);
    clock.pass(20);
    expect(await heights()).toEqual([START_HEIGHT + 10, START_HEIGHT - 15, START_HEIGHT + 10, START_HEIGHT + 10]);
  });

  test('peer-missing: both ends of one connection have one peer less', async () => {
    const { peerCounts, heights } = await start(['peer-missing']);
    expect(await peerCounts()).toEqual([3, 2, 2, 3]);
    expect(await heights()).toEqual(Array(4).fill(START_HEIGHT));
  });

  test('admin-not-exposed: no node names admin or serves it, and peers can be counted', async () => {
    const { simulation, peerCounts } = await start(['admin-not-exposed']);
    for (const { rpc } of simulation.nodes) {
      expect((await call(rpc, 'rpc_modules')).result).not.toHaveProperty('admin');
      expect(await call(rpc, 'admin_peers')).toHaveProperty('error', {
        code: -32601,
        message: 'the method admin_peers does not exist/is not available',
      });
    }
    expect(await peerCounts()).toEqual([3, 3, 3, 3]);
  });

  test('rpc-error-inside-result: an answer without an error holds one', async () => {
    const { node, peerCounts } = await start(['rpc-error-inside-result']);
    expect(await block(node(2))).toMatchObject({
      Hash: (await block(node(1))).Hash,
      Number: null,
      Error: 'can not find latest committed block from consensus',
    });
    expect(await block(node(1))).toMatchObject({ Error: '' });
    expect(await peerCounts()).toEqual([3, 3, 3, 3]);
  });

  test('rpc-garbage: a page with status 200 answers every request', async () => {
    const { node } = await start(['rpc-garbage']);
    const answer = await post(node(2), { id: 1, method: 'net_version' });
    expect(answer).toMatchObject({ status: 200, type: 'text/html' });
    expect(answer.text).toContain('<html>');
    expect((await call(node(1), 'net_peerCount')).result).toBe('0x3');
  });

  test('subnet-halted: no height moves, and the stats server says so after a minute', async () => {
    const { simulation, clock, heights, peerCounts } = await start(['subnet-halted']);
    clock.pass(61);
    expect(await heights()).toEqual(Array(4).fill(START_HEIGHT));
    expect(await peerCounts()).toEqual([3, 3, 3, 3]);
    const network = await fetch(`${simulation.stats}/information/network`);
    expect(network.status).toBe(200);
    expect(await network.json()).toHaveProperty('health.status', 'DOWN');
  });

  test('service-down: the stats server refuses, the others answer', async () => {
    const { simulation } = await start(['service-down']);
    expect(await isRefused(`${simulation.stats}/health`)).toBe(true);
    expect(await isRefused(simulation.relayer)).toBe(false);
    expect(await isRefused(simulation.frontend)).toBe(false);
  });

  test('unlisted-node: every node has one peer more, and its container is gone when it is over', async () => {
    const { simulation, peerCounts, heights } = await start(['unlisted-node']);
    expect(await peerCounts()).toEqual([4, 4, 4, 4]);
    expect(await heights()).toEqual(Array(4).fill(START_HEIGHT));
    const list = async () => {
      const answer = await fetch(`${simulation.docker}/containers/json`);
      return ((await answer.json()) as readonly { readonly Names: readonly string[] }[]).flatMap(({ Names }) => Names);
    };
    expect(await list()).toContain('/demo-subnet5-1');
    await simulation.setFaults([]);
    expect(await peerCounts()).toEqual([3, 3, 3, 3]);
    await expect.poll(list).not.toContain('/demo-subnet5-1');
  });

  test('fd-limit: a connection is accepted and no request answered, and the others keep the peer', async () => {
    const { node } = await start(['fd-limit']);
    const asked = fetch(node(2), { method: 'POST', body: '{}', signal: AbortSignal.timeout(300) });
    await expect(asked).rejects.toThrow('timeout');
    expect((await call(node(1), 'net_peerCount')).result).toBe('0x3');
  });

  test('container-renamed: the container runs in another project, and is another one again when that is over', async () => {
    const { simulation } = await start([]);
    const inspect = async (name: string) => {
      const answer = await fetch(`${simulation.docker}/containers/${name}/json`);
      return answer.ok ? ((await answer.json()) as { readonly Id: string }).Id : undefined;
    };
    const before = await inspect('demo-subnet2-1');
    await simulation.setFaults(['container-renamed']);
    await expect.poll(() => inspect('renamed-subnet2-1')).toMatch(/^[\da-f]{64}$/);
    expect(await inspect('demo-subnet2-1')).toBeUndefined();
    await simulation.setFaults([]);
    await expect.poll(() => inspect('demo-subnet2-1')).toMatch(/^[\da-f]{64}$/);
    expect(await inspect('demo-subnet2-1')).not.toBe(before);
  });

  test('several faults hold at once', async () => {
    const { node } = await start(['node-stalled', 'peer-missing', 'admin-not-exposed']);
    expect((await call(node(3), 'net_peerCount')).result).toBe('0x2');
    expect((await call(node(3), 'admin_peers')).error?.code).toBe(-32601);
  });
});

describe('at run time', () => {
  test('a fault comes and goes on the same addresses', async () => {
    const { simulation, clock, node } = await start([]);
    const before = { ...simulation };
    await simulation.setFaults(['node-down', 'service-down']);
    expect(await isRefused(node(2))).toBe(true);
    expect(await isRefused(simulation.stats)).toBe(true);
    await simulation.setFaults([]);
    clock.pass(60);
    expect(await block(before.nodes[1]?.rpc ?? '')).toMatchObject({ Number: START_HEIGHT + 30, Error: '' });
    expect(await isRefused(before.stats)).toBe(false);
  });

  test('a node that was down comes back without a committed block and fetches what it missed', async () => {
    const { simulation, clock, node } = await start(['node-down']);
    clock.pass(200);
    await simulation.setFaults([]);
    expect(await block(node(2))).toMatchObject({ Number: null });
    expect((await call(node(2), 'eth_syncing')).result).toMatchObject({
      currentBlock: `0x${START_HEIGHT.toString(16)}`,
    });
    clock.pass(5);
    expect(await block(node(2))).toMatchObject({ Number: START_HEIGHT + 50, Error: '' });
    clock.pass(10);
    expect(await block(node(2))).toEqual(await block(node(1)));
  });

  test('a node that begins to lag never falls', async () => {
    const { simulation, clock, node } = await start([]);
    await simulation.setFaults(['node-behind']);
    expect(await block(node(2))).toMatchObject({ Number: START_HEIGHT });
    clock.pass(40);
    expect(await block(node(2))).toMatchObject({ Number: START_HEIGHT });
    clock.pass(20);
    expect(await block(node(2))).toMatchObject({ Number: START_HEIGHT + 5 });
  });

  test('a halted chain continues from its last height', async () => {
    const { simulation, clock, heights } = await start(['subnet-halted']);
    clock.pass(600);
    await simulation.setFaults([]);
    expect(await heights()).toEqual(Array(4).fill(START_HEIGHT));
    clock.pass(10);
    expect(await heights()).toEqual(Array(4).fill(START_HEIGHT + 5));
  });

  test('calls that are not awaited leave the faults of the last one', async () => {
    const { simulation, node } = await start([]);
    await Promise.all([
      simulation.setFaults(['node-down']),
      simulation.setFaults(['service-down']),
      simulation.setFaults([]),
    ]);
    expect(await isRefused(node(2))).toBe(false);
    expect(await isRefused(simulation.stats)).toBe(false);
  });

  test('too few nodes for a fault are refused, at the start and later', async () => {
    await expect(startSimulation({ nodes: 2, faults: ['node-behind'] })).rejects.toThrow('needs at least 4 nodes');
    const { simulation } = await start([], 2);
    await expect(simulation.setFaults(['peer-missing'])).rejects.toThrow('needs at least 3 nodes');
    await expect(startSimulation({ nodes: 0, faults: [] })).rejects.toThrow(RangeError);
  });
});
