import { expect, it } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import type { Inventory } from '../../../src/model/target.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { createMonitor, type Monitor } from '../../../src/watch/monitor/create-monitor.ts';
import { eventually } from '../../support/cli.ts';
import { startNode, startTcp } from '../../support/fake-node.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups } = useCleanups();

function toInventory(rpcs: readonly string[], checks: string): Inventory {
  const nodes = rpcs.map((rpc, i) => `      - { name: n${i}, rpc: '${rpc}', expectedPeers: 3 }\n`).join('');
  const parsed = parseInventory(`subnets:\n  - name: d\n    nodes:\n${nodes}    checks: { rpc: { ${checks} } }\n`, {});
  if (!parsed.ok) throw new Error('a bad inventory');
  return parsed.inventory;
}

/** Watches these nodes; the late rounds, and how often each node was checked. */
function watch(rpcs: readonly string[], checks: string) {
  const late: string[] = [];
  const bugs: unknown[] = [];
  const monitor: Monitor = createMonitor({
    clock: createProcessClock(),
    scheduled: true,
    onBug: (error) => bugs.push(error),
  });
  monitor.onRound({ onLate: (_subnet, _round, why) => late.push(why) });
  cleanups.push(monitor.stop);
  monitor.load(toInventory(rpcs, checks));
  const runs = () =>
    (monitor.snapshot()[0]?.targets ?? []).map(
      ({ checks }) => checks.find(({ check }) => check === 'latest_block')?.runs ?? 0,
    );
  return { late, bugs, runs };
}

it.each([
  ['1,000 nodes, 990 of which hang', 990, 1_000, "schedule: 'every 4s', timeout: 2800ms", false],
  [
    '1,000 nodes, 990 of which hang for almost the whole interval',
    990,
    1_000,
    "schedule: 'every 5s', timeout: 4600ms",
    false,
  ],
  [
    'ten nodes, one of which hangs for almost the whole interval',
    1,
    10,
    "schedule: 'every 3s', timeout: 2970ms",
    false,
  ],
  ['ten nodes, one of which hangs for longer than the interval', 1, 10, "schedule: 'every 1s', timeout: 1500ms", true],
])('of %s, no check of the others is delayed or skipped', { retry: 1, timeout: 240_000 }, async (...row) => {
  const [, hang, all, checks, isLate] = row;
  const node = await startNode();
  const hanging = await startTcp(() => {});
  cleanups.push(node.stop, hanging.stop);
  // Those that answer are spread over the list: the last begin after all that hang.
  const answers = (i: number) => i % Math.ceil(all / (all - hang)) === 0 || i === all - 1;
  const rpcs = Array.from({ length: all }, (_, i) => `${(answers(i) ? node : hanging).url}/${i}`);
  const watched = watch(rpcs, checks);
  const alone = watch([node.url], checks);
  const others = () => watched.runs().filter((_, i) => answers(i));

  const untilRuns = (runs: number) => eventually(() => expect(alone.runs()[0]).toBeGreaterThanOrEqual(runs));
  await untilRuns(3);
  // A round is spread over what the timeout leaves of the interval, so the last may be to come. Those that are left out stay behind.
  await eventually(() => expect(Math.min(...others())).toBeGreaterThanOrEqual((alone.runs()[0] ?? 0) - 1));
  const hung = watched.runs().filter((_, i) => !answers(i));
  expect(Math.min(...hung), 'those that hang are probed too').toBeGreaterThanOrEqual(1);
  expect(watched.bugs).toEqual([]);
  // A round is late when a target is due for the second time while its probe still runs.
  if (isLate) await eventually(() => expect(watched.late).toContain('overlap'));
  else {
    // Where others use the machine one may be late. Of three in a row none is, soon.
    let before = 0;
    for (let tries = 0; tries < 5 && watched.late.length > before; tries += 1) {
      before = watched.late.length;
      await untilRuns((alone.runs()[0] ?? 0) + 3);
    }
    expect(watched.late.slice(before)).toEqual([]);
  }
});
