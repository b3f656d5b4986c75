import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createClock } from '../../../src/lib/clock.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { createMonitor } from '../../../src/watch/monitor/create-monitor.ts';
import { toStatus } from '../../../src/web/to-status.ts';
import { blockResult, healthy, startNode } from '../../support/fake-node.ts';
import { useFolder } from '../../support/recordings.ts';
import { renderPage } from '../../support/render-page.ts';

const LONG = { timeout: 30_000, interval: 50 };
const HOUR = 3_600_000;

/** A monitor of one node that makes ten blocks a second, and of its log; its wall clock can be set. */
async function watchBusyNode() {
  const file = join(useFolder(), 'xdc.log');
  writeFileSync(file, '');
  let height = 1_000;
  let ahead = 0;
  const timer = setInterval(() => {
    height += 1;
    const [date = '', time = ''] = new Date(Date.now() + ahead).toISOString().split('T');
    const line = `INFO [${date.slice(5)}|${time.slice(0, 8)}] Imported new chain segment               number=${height} hash=1a2b3c…9f8e7d\n`;
    appendFileSync(file, line);
  }, 100);
  onTestFinished(() => clearInterval(timer));
  const node = await startNode({ ...healthy, XDPoS_getV2BlockByNumber: () => blockResult(height) });
  onTestFinished(node.stop);
  const parsed = parseInventory(
    `
subnets:
  - name: devnet
    nodes: [{ name: subnet1, rpc: '${node.url}', expectedPeers: 3, logFiles: ['${file}'] }]
    checks: { rpc: { stallAfter: 5s, schedule: every 1s, timeout: 900ms }, logs: { schedule: every 200ms } }
`,
    {},
  );
  if (!parsed.ok) throw new Error(`a bad inventory: ${parsed.errors.join('; ')}`);
  const clock = createClock({ monotonic: () => performance.now(), wall: () => Date.now() + ahead });
  const monitor = createMonitor({
    clock,
    scheduled: true,
    onBug: (error) => {
      throw error;
    },
  });
  onTestFinished(monitor.stop);
  monitor.load(parsed.inventory);
  return {
    setBy: (ms: number) => {
      ahead += ms;
    },
    wall: () => Date.now() + ahead,
    checks: () => toStatus(monitor.snapshot(), clock.toWall).subnets[0]?.targets[0]?.checks ?? [],
    states: () => monitor.snapshot()[0]?.targets[0]?.checks ?? [],
    advancedAt: () => {
      const page = renderPage(monitor.snapshot(), () => 1, clock.toWall);
      return Number(/^subnet_node_block_advanced_timestamp_seconds\{.*block="latest"\} (\S+)$/m.exec(page)?.[1]);
    },
  };
}

test('setting the wall clock fails no check of a healthy node, and moves every time with it', async () => {
  const { setBy, wall, checks, states, advancedAt } = await watchBusyNode();
  expect(checks().length).toBeGreaterThan(2);
  await vi.waitFor(() => expect(checks().map(({ verdict }) => verdict)).toEqual(checks().map(() => 'pass')), LONG);
  const failures = states().map((check) => check.failures);
  for (const byMs of [HOUR, -90_000]) {
    const before = checks().map(({ since }) => Date.parse(since));
    const runs = states().map((check) => check.runs);
    setBy(byMs);
    // The first can have begun before the clock was set.
    await vi.waitFor(() => {
      for (const [i, check] of states().entries()) expect(check.runs).toBeGreaterThan((runs[i] ?? 0) + 1);
    }, LONG);
    expect(checks().map(({ verdict }) => verdict)).toEqual(checks().map(() => 'pass'));
    expect(states().map((check) => check.failures)).toEqual(failures);
    // Nearer to the clock as it is set now than to that of before.
    const isMoved = (at: number, to: number) => Math.abs(at - to) < Math.abs(at - (to - byMs));
    for (const [i, { since, lastRun }] of checks().entries()) {
      expect(isMoved(Date.parse(since), (before[i] ?? 0) + byMs)).toBe(true);
      expect(isMoved(Date.parse(lastRun ?? ''), wall())).toBe(true);
    }
    expect(isMoved(advancedAt() * 1_000, wall())).toBe(true);
  }
});
