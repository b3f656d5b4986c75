import { describe, expect, it } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { createMonitor, type Monitor } from '../../../src/watch/monitor/create-monitor.ts';
import { eventually } from '../../support/cli.ts';
import { blockResult, type FakeServer, healthy, type Methods, startNode, startTcp } from '../../support/fake-node.ts';
import { createHandClock } from '../../support/hand-clock.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups } = useCleanups();

const keep = <T extends FakeServer>(server: T): T => {
  cleanups.push(server.stop);
  return server;
};

function watch(rpcs: readonly string[], checks: string, clock = createProcessClock()) {
  const nodes = rpcs.map((rpc, i) => `      - { name: n${i}, rpc: '${rpc}', expectedPeers: 3 }\n`).join('');
  const parsed = parseInventory(`subnets:\n  - name: d\n    nodes:\n${nodes}    checks: { rpc: { ${checks} } }\n`, {});
  if (!parsed.ok) throw new Error('a bad inventory');
  const late: string[] = [];
  const bugs: unknown[] = [];
  const monitor = createMonitor({
    clock,
    scheduled: true,
    onBug: (error) => bugs.push(error),
  });
  monitor.onRound({ onLate: (_subnet, round) => late.push(round) });
  cleanups.push(monitor.stop);
  monitor.load(parsed.inventory);
  return { monitor, late, bugs };
}
const verdictsOf = (monitor: Monitor) =>
  monitor.snapshot()[0]?.targets.map(({ checks }) => checks.find(({ check }) => check === 'latest_block')?.verdict) ??
  [];

describe('many nodes', () => {
  it('with 500 down and 500 hanging do not change the verdict of a healthy one', async () => {
    const healthy = keep(await startNode());
    const hanging = keep(await startTcp(() => {}));
    const atPaths = (url: string) => Array.from({ length: 500 }, (_, i) => `${url}/${i}`);
    const rpcs = [healthy.url, ...atPaths('http://127.0.0.1:1'), ...atPaths(hanging.url)];
    const { monitor, bugs } = watch(rpcs, "schedule: 'every 5s', timeout: 4s");
    await eventually(() => expect(monitor.isReady()).toBe(true));
    // On a busy machine the healthy one may miss its time in one round, but not in each.
    await eventually(() => expect(verdictsOf(monitor)).toEqual(['pass', ...Array(1000).fill('fail')]));
    expect(monitor.isAlive()).toBe(true);
    expect(bugs).toEqual([]);
  });

  it('are judged together in the first round, so that one behind fails', async () => {
    const at = (number: number): Methods => ({ ...healthy, XDPoS_getV2BlockByNumber: () => blockResult(number) });
    // The one behind answers first: the others are not known by then.
    const behind = keep(await startNode(at(80)));
    const others = await Promise.all(
      [1, 2].map(async () =>
        keep(
          await startNode(at(100), (answers, response) => setTimeout(() => response.end(JSON.stringify(answers)), 100)),
        ),
      ),
    );
    const { monitor } = watch([behind.url, ...others.map(({ url }) => url)], "schedule: 'every 1h'");
    await eventually(() => expect(monitor.isReady()).toBe(true));
    expect(verdictsOf(monitor)).toEqual(['fail', 'pass', 'pass']);
  });

  it('are never probed twice at once: a target that hangs for longer than the interval makes a round late', async () => {
    let open = 0;
    let most = 0;
    const slow = keep(
      await startTcp((socket) => {
        open += 1;
        most = Math.max(most, open);
        socket.on('close', () => {
          open -= 1;
        });
      }),
    );
    const { late } = watch([slow.url], "schedule: 'every 100ms', timeout: 1s");
    await eventually(() => expect(late.length).toBeGreaterThan(5));
    expect(most).toBe(1);
  });

  it.each([
    ['every 1s', '900ms', 4],
    ['every 200ms', '900ms', 8],
    ['* * * * * *', '900ms', 3],
    ['* * * * * *', '1500ms', 3],
  ])('are probed %s although one hangs, with a timeout of %s', { retry: 2 }, async (...row) => {
    // A busy machine can make one round late; a target that does so makes half of them late, each time.
    const [schedule, timeout, rounds] = row;
    const hanging = keep(await startTcp(() => {}));
    const others = await Promise.all(Array.from({ length: 19 }, async () => keep(await startNode())));
    const alone = keep(await startNode());
    const checks = `schedule: '${schedule}', timeout: ${timeout}`;
    const { late } = watch([hanging.url, ...others.map(({ url }) => url)], checks);
    watch([alone.url], checks);
    const looksAt = ({ requests }: (typeof others)[number]) =>
      requests.flat().filter(({ method, params }) => method === 'XDPoS_getV2BlockByNumber' && params[0] === 'latest')
        .length;
    await eventually(() => expect(looksAt(alone)).toBeGreaterThanOrEqual(rounds));
    // The probes of a round are spread over what the timeout leaves of the interval.
    for (const node of others) expect(looksAt(node)).toBeGreaterThanOrEqual(looksAt(alone) - 1);
    if (timeout === '900ms' && schedule !== 'every 200ms') expect(late).toEqual([]);
  });

  it('are watched by a cron schedule in UTC too', async () => {
    const node = keep(await startNode());
    watch([node.url], "schedule: '* * * * * *'");
    await eventually(() => expect(node.requests.length).toBeGreaterThan(3));
  });

  it('repeat a probe that ran while the process was suspended', async () => {
    const hand = createHandClock();
    let asked = 0;
    const node = keep(
      await startNode(healthy, (answers, response) => {
        asked += 1;
        // As one that was suspended would find it: the time for the answer is over.
        if (asked === 1) hand.suspend(120_000);
        else response.end(JSON.stringify(answers));
      }),
    );
    const { monitor } = watch([node.url], "schedule: 'every 1h', timeout: 500ms", hand.clock);
    await eventually(() => expect(monitor.isReady()).toBe(true));
    const [check] = monitor.snapshot()[0]?.targets[0]?.checks ?? [];
    expect(check).toMatchObject({ check: 'latest_block', verdict: 'pass', runs: 1, failures: 0 });
    expect(monitor.isAlive()).toBe(true);
  });
});
