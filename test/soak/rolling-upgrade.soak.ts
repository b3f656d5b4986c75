import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { rollNodes } from '../../src/cli/rolling-restart.ts';
import { startSimulation } from '../../src/demo/start-simulation.ts';
import { toRestartBody } from '../../src/model/restart-answer.ts';
import { parseInventory } from '../../src/watch/inventory/parse-inventory.ts';
import { createMonitor } from '../../src/watch/monitor/create-monitor.ts';
import { block, isRefused } from '../demo/rpc.ts';
import { createHandClock } from '../support/hand-clock.ts';

const COUNT = 21;

/** The engine of the demo starts a container at the next of its ticks, in real time. */
const TICK_MS = 550;

/** A simulated subnet whose time passes by hand, watched by the real monitor. */
async function watchSubnet() {
  const hand = createHandClock();
  const simulation = await startSimulation({ nodes: COUNT, faults: [], now: hand.wall });
  const bugs: unknown[] = [];
  const monitor = createMonitor({ clock: hand.clock, scheduled: false, onBug: (error) => bugs.push(error) });
  const parsed = parseInventory(simulation.inventory(), {});
  if (!parsed.ok) throw new Error('the inventory is bad');
  monitor.load(parsed.inventory);
  const name = parsed.inventory.subnets[0]?.name ?? '';
  const nodes = simulation.nodes.map((node) => node.name);
  onTestFinished(async () => {
    await monitor.stop();
    await simulation.stop();
    expect(bugs).toEqual([]);
  });
  const probe = async () => {
    await Promise.all(nodes.map((node) => monitor.probeTarget(name, node)));
  };
  const sleep = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      hand.run(Math.min(left, 1_000));
      // Who is down or joining changes now, not at the next tick of real time.
      await simulation.setFaults([]);
    }
  };
  const ask = async (node: string) => {
    await probe();
    const answer = monitor.restarts.judge(name, node);
    if (answer === undefined) throw new Error(`no node ${node}`);
    const body = toRestartBody({ kind: 'answer', subnet: name, node, ...answer });
    return { kind: answer.safe ? ('yes' as const) : ('no' as const), reason: answer.reason, body };
  };
  const restart = async (node: string) => {
    const done = fetch(`${simulation.docker}/containers/demo-${node}-1/restart`, { method: 'POST' });
    const rpc = simulation.nodes.find(({ name }) => name === node)?.rpc ?? '';
    while (!(await isRefused(rpc))) await pause(10);
    await sleep(10_000);
    await pause(TICK_MS);
    expect((await done).status).toBe(204);
    return undefined;
  };
  const newest = async () => {
    const { Number: number, Round: round } = await block(simulation.nodes[0]?.rpc ?? '', 'latest');
    return { number: number ?? 0, round };
  };
  return { nodes, ask, sleep, restart, newest, now: () => hand.clock.now() };
}

test('21 masternodes are restarted right after their own turns, and no round is missed', async () => {
  const { nodes, ask, sleep, restart, newest, now } = await watchSubnet();
  await sleep(120_000);
  const before = await newest();
  const begin = now();
  const code = await rollNodes(nodes, {
    ...{ ask, sleep, now, everyMs: 10_000, patienceMs: 600_000, tell: () => {} },
    restart: ({ node }) => restart(node),
  });
  expect(code).toBe(0);
  const after = await newest();
  const missed = after.round - before.round - (after.number - before.number);
  process.stdout.write(`${missed} rounds missed in ${Math.round((now() - begin) / 60_000)} minutes\n`);
  expect(missed).toBe(0);
});
