import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { expect, type TestContext, test } from 'vitest';
import { startSimulation } from '../../src/demo/start-simulation.ts';
import { parseInventory } from '../../src/watch/inventory/parse-inventory.ts';
import { createMonitor } from '../../src/watch/monitor/create-monitor.ts';
import { answerRestart } from '../../src/web/subnet-routes.ts';
import { block } from '../demo/rpc.ts';
import { eventually, program } from '../support/cli.ts';
import { createHandClock } from '../support/hand-clock.ts';

const NODES = ['subnet1', 'subnet2', 'subnet3', 'subnet4'];

/** Simulated time passes in steps, each once its probes have ended: large ones only while the command waits. */
const BUSY = { stepMs: 2_000, pauseMs: 80 } as const;
const WAITING = { stepMs: 20_000, pauseMs: 20 } as const;

/** Less than the command waits before it asks again. */
const WAITING_MS = 1_500;

/** One masternode that is down costs its timeout, and what interrupts that begins it again. Two of four halt the chain. */
const ONE_DOWN_S = 25;

/** A simulated subnet whose time passes quickly, watched by the real monitor, with the answers of its real route. */
async function watchSubnet(onTestFinished: TestContext['onTestFinished']) {
  const hand = createHandClock();
  const simulation = await startSimulation({ nodes: NODES.length, faults: [], now: hand.wall });
  const bugs: unknown[] = [];
  const monitor = createMonitor({
    clock: hand.clock,
    scheduled: false,
    onBug: (error) => bugs.push(error),
  });
  const parsed = parseInventory(simulation.inventory(), {});
  if (!parsed.ok) throw new Error('the inventory is bad');
  monitor.load(parsed.inventory);
  const [subnet] = parsed.inventory.subnets;
  let waitsUntil = 0;
  const ask = async (name: string | undefined, node: string) => {
    const result = await monitor.restarts.ask(name, node);
    if (result.kind !== 'answer') return result;
    if (!result.safe) waitsUntil = performance.now() + WAITING_MS;
    // The command waits in real time, and turns pass too quickly here for that.
    return { ...result, nextTurnMs: undefined, turnEveryMs: undefined };
  };
  const app = new Hono().get('/safe-to-restart', answerRestart(ask));
  const server = createServer(getRequestListener(app.fetch));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let isOver = false;
  const pass = async () => {
    while (!isOver) {
      const { stepMs, pauseMs } = performance.now() < waitsUntil ? WAITING : BUSY;
      hand.run(stepMs);
      await Promise.all(NODES.map((name) => monitor.probeTarget(subnet?.name ?? '', name)));
      await wait(pauseMs);
    }
  };
  const passing = pass();
  onTestFinished(async () => {
    isOver = true;
    await passing;
    server.closeAllConnections();
    server.close();
    await monitor.stop();
    await simulation.stop();
    expect(bugs).toEqual([]);
  });
  const [first] = simulation.nodes;
  const rpc = first?.rpc ?? '';
  const begin = (await block(rpc, 'latest')).Number ?? 0;
  return {
    docker: simulation.docker,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The longest time between two blocks, in seconds, once all nodes are well again. */
    longestGap: async () => {
      const before = (await block(rpc, 'latest')).Number ?? 0;
      const end = await eventually(async () => {
        const heights = await Promise.all(
          simulation.nodes.map(async (node) => (await block(node.rpc, 'latest')).Number),
        );
        expect(new Set(heights).size).toBe(1);
        expect(heights[0]).toBeGreaterThan(before + NODES.length);
        return heights[0] ?? 0;
      });
      const numbers = Array.from({ length: end - begin + 1 }, (_, index) => begin + index);
      const blocks = await Promise.all(numbers.map((number) => block(rpc, `0x${number.toString(16)}`)));
      const times = blocks.map(({ Timestamp }) => Timestamp ?? 0);
      return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
    },
  };
}

/** `docker restart` of each node in turn, after what must succeed before. */
async function restartEach(docker: string, before: string, onTestFinished: TestContext['onTestFinished']) {
  const restart = `curl --silent --fail --request POST ${docker}/containers/demo-$n-1/restart`;
  const loop = `for n in ${NODES.join(' ')}; do ${before}${restart} && echo "restarted $n" || break; done`;
  const shell = spawn('sh', ['-c', loop], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void shell.kill());
  let [stdout, stderr] = ['', ''];
  shell.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  shell.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await once(shell, 'close');
  return { restarted: stdout.match(/(?<=^restarted )\S+/gm), stdout, stderr };
}

test.concurrent('four nodes are restarted one after another by one shell loop, and the subnet never lacks the votes for a block', async ({
  onTestFinished,
}) => {
  const { docker, url, longestGap } = await watchSubnet(onTestFinished);
  const ask = `${program} safe-to-restart $n --url ${url} --wait 10m && `;
  const { restarted, stdout, stderr } = await restartEach(docker, ask, onTestFinished);
  expect(restarted).toEqual(NODES);
  expect(await longestGap()).toBeLessThanOrEqual(ONE_DOWN_S);
  expect(stdout).toContain('subnet2 may be restarted now: 3 other masternodes vote, 3 needed\n');
  expect(stderr).toMatch(
    /^waiting to restart subnet[234]: subnet[123] was started \d+s ago and must run for a minute$/m,
  );
});

test.concurrent('the same without asking halts the subnet', async ({ onTestFinished }) => {
  const { docker, longestGap } = await watchSubnet(onTestFinished);
  expect((await restartEach(docker, '', onTestFinished)).restarted).toEqual(NODES);
  expect(await longestGap()).toBeGreaterThan(ONE_DOWN_S);
});
