import { expect, onTestFinished, test } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { createMonitor } from '../../../src/watch/monitor/create-monitor.ts';
import { eventually } from '../../support/cli.ts';
import { healthy, startNode } from '../../support/fake-node.ts';

/** A monitor whose round runs once, of a node that answers when the test lets it. */
async function watchOneNode({ isHeldAtFirst = false } = {}) {
  const held: (() => void)[] = [];
  let isHeld = isHeldAtFirst;
  const node = await startNode(healthy, (answers, response) => {
    const answer = () => void response.end(JSON.stringify(answers));
    if (isHeld) held.push(answer);
    else answer();
  });
  const bugs: unknown[] = [];
  const late: unknown[] = [];
  const monitor = createMonitor({
    clock: createProcessClock(),
    scheduled: true,
    onBug: (error) => bugs.push(error),
  });
  monitor.onRound({ onLate: (...round) => late.push(round) });
  onTestFinished(async () => {
    await monitor.stop();
    await node.stop();
    expect([bugs, late]).toEqual([[], []]);
  });
  const parsed = parseInventory(
    `subnets: [{ name: d, nodes: [{ name: n1, rpc: '${node.url}' }], checks: { rpc: { schedule: every 1h } } }]`,
    {},
  );
  if (!parsed.ok) throw new Error('the inventory is bad');
  monitor.load(parsed.inventory);
  if (!isHeldAtFirst) await eventually(() => expect(monitor.isReady()).toBe(true));
  const check = () => monitor.snapshot()[0]?.targets[0]?.checks.find((one) => one.check === 'latest_block');
  return {
    monitor,
    check,
    asked: () =>
      node.requests.filter((calls) =>
        calls.some(({ method, params }) => /V2Block/.test(method) && params[0] === 'latest'),
      ).length,
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
      for (const answer of held.splice(0)) answer();
    },
  };
}

test('a target is probed at once when somebody asks, and its checks are judged', async () => {
  const { monitor, check, asked } = await watchOneNode();
  const before = check();
  const requests = asked();
  await monitor.probeTarget('d', 'n1');
  expect(asked()).toBe(requests + 1);
  expect(check()?.runs).toBe(2);
  expect(check()?.lastRun).toBeGreaterThan(before?.lastRun ?? 0);
  expect(monitor.probeTarget('d', 'n2')).toBeUndefined();
  expect(monitor.probeTarget('e', 'n1')).toBeUndefined();
});

test('of many who ask at once, the second waits for the probe of the first', async () => {
  const { monitor, check, asked, hold, release } = await watchOneNode();
  const requests = asked();
  hold();
  const all = Array.from({ length: 100 }, () => monitor.probeTarget('d', 'n1'));
  await eventually(() => expect(asked()).toBe(requests + 1));
  release();
  await Promise.all(all);
  expect(asked()).toBe(requests + 1);
  expect(check()?.runs).toBe(2);
  await monitor.probeTarget('d', 'n1');
  expect(check()?.runs).toBe(3);
});

test('a probe of the round that still runs is waited for: a connection carries one at a time', async () => {
  const { monitor, check, asked, release } = await watchOneNode({ isHeldAtFirst: true });
  await eventually(() => expect(asked()).toBe(1));
  const probed = monitor.probeTarget('d', 'n1');
  // The round answers another target meanwhile; nothing more comes here.
  await new Promise((resolve) => setImmediate(resolve));
  expect([asked(), check()?.runs]).toEqual([1, 0]);
  release();
  await probed;
  expect([asked(), check()?.runs]).toEqual([2, 2]);
});
