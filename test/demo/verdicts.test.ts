import { describe, expect, it } from 'vitest';
import { demoNodeNames, expectedChanges, FAULT_NAMES, type FaultName } from '../../src/demo/faults.ts';
import { startSimulation } from '../../src/demo/start-simulation.ts';
import { createClock } from '../../src/lib/clock.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { parseInventory } from '../../src/watch/inventory/parse-inventory.ts';
import { createMonitor, type Monitor } from '../../src/watch/monitor/create-monitor.ts';
import { findShell } from '../support/chromium.ts';
import { eventually } from '../support/cli.ts';
import { renderPage } from '../support/render-page.ts';

const WAIT_MS = 100_000;

const checks = {
  rpc: { schedule: 'every 2s', timeout: '10s', stallAfter: '10s' },
  services: { schedule: 'every 2s', timeout: '10s' },
  containers: { schedule: 'every 2s', timeout: '10s' },
  console: { schedule: 'every 10s', timeout: '30s' },
  // The simulated relayer has the real one's rhythm: a cycle every 20 s.
  logs: {
    schedule: 'every 2s',
    bootnodeWindow: '15s',
    submissionsWithin: '30s',
    blockDataWithin: '15s',
    errorWindow: '20s',
  },
};

/** Browsers are large, so only the cases about the page have one. */
const visited = (faults: readonly FaultName[]): boolean =>
  faults.length === 0 || faults.includes('console-error') || faults.includes('oom-kill');

/** The simulated subnet with faults, watched by the real monitor. */
async function watch(faults: readonly FaultName[]) {
  const simulation = await startSimulation({
    nodes: 4,
    faults,
    checks,
    roundTimeoutMs: 2_000,
    ...(visited(faults) && { browser: findShell() }),
  });
  const parsed = parseInventory(simulation.inventory(), {});
  if (!parsed.ok) throw new Error('the inventory of the demo is bad');
  const bugs: unknown[] = [];
  const monitor = createMonitor({
    clock: createClock({ monotonic: () => performance.now(), wall: simulation.monitorTime }),
    scheduled: true,
    onBug: (error) => bugs.push(error),
  });
  monitor.load(parsed.inventory);
  return { simulation, monitor, bugs };
}

const withVerdict = (monitor: Monitor, verdict: Verdict) =>
  monitor
    .snapshot()
    .flatMap(({ targets }) =>
      targets.flatMap(({ target, checks: all }) =>
        all
          .filter((check) => check.verdict === verdict)
          .map(({ check }) => `${target.component}/${target.name}/${check}`),
      ),
    )
    .sort();

/** Restarts change checks as long as they last. */
const LEFT_OUT: readonly FaultName[] = ['rolling-restart', 'ordered-then-killed', 'nodes-killed'];

const cases: readonly (readonly FaultName[])[] = [
  [],
  ...FAULT_NAMES.filter((fault) => !LEFT_OUT.includes(fault)).map((fault) => [fault]),
  ['node-down', 'admin-not-exposed', 'service-down'],
];

/** What a fault does to a container beside the verdicts, and the remedy that is known for it. */
const KNOWN = [
  {
    fault: 'oom-kill',
    name: 'frontend',
    failure: 'out_of_memory',
    oomKills: true,
    exitCode: 137,
    remedy: 'more memory',
  },
  {
    fault: 'ipc-path-too-long',
    name: 'subnet2',
    failure: 'ipc_path_too_long',
    oomKills: false,
    exitCode: 0,
    remedy: 'to a shorter path',
  },
] as const;

async function expectKnownFailure(
  monitor: Monitor,
  { name, failure, oomKills, exitCode, remedy }: (typeof KNOWN)[number],
) {
  const sample = (metric: string, more = '') => {
    const page = renderPage(monitor.snapshot(), () => undefined);
    return Number(new RegExp(`^${metric}\\{[^}]*name="${name}"${more}\\} (\\S+)$`, 'm').exec(page)?.[1]);
  };
  await eventually(() => {
    expect(sample('subnet_known_failure', `,failure="${failure}"`)).toBe(1);
    expect(sample('subnet_container_restarts_total')).toBeGreaterThan(0);
    expect(sample('subnet_container_oom_kills_total') > 0).toBe(oomKills);
    expect(sample('subnet_container_last_exit_code')).toBe(exitCode);
  }, WAIT_MS);
  const states = monitor.snapshot().flatMap(({ targets }) => targets);
  const state = states.find(({ target }) => target.name === name);
  expect(state?.checks.find(({ check }) => check === 'container')?.fix).toContain(remedy);
}

describe('the monitor on the simulated subnet', () => {
  it.concurrent.each(cases.map((faults) => [faults.join(' and ') || 'nothing', faults] as const))(
    'changes exactly the promised checks when %s is broken, and none once it is fixed',
    async (_what, faults) => {
      const { simulation, monitor, bugs } = await watch(faults);
      try {
        const { fails, degrades, unknown } = expectedChanges(faults, {
          nodes: demoNodeNames(4),
          browser: visited(faults),
        });
        const isSo = () => {
          expect(withVerdict(monitor, 'fail')).toEqual([...fails].sort());
          expect(withVerdict(monitor, 'degraded')).toEqual([...degrades].sort());
          expect(withVerdict(monitor, 'unknown')).toEqual([...unknown].sort());
        };
        await eventually(isSo, WAIT_MS);
        // And it stays so for longer than a stall takes.
        const until = performance.now() + 12_000;
        while (performance.now() < until) {
          isSo();
          await new Promise((resolve) => setTimeout(resolve, 500));
        }
        for (const known of KNOWN) if (faults.includes(known.fault)) await expectKnownFailure(monitor, known);
        await simulation.setFaults([]);
        await eventually(() => {
          const verdicts = ['fail', 'degraded', 'unknown'] as const;
          expect(verdicts.flatMap((verdict) => withVerdict(monitor, verdict))).toEqual([]);
        }, WAIT_MS);
        expect(bugs).toEqual([]);
      } finally {
        await monitor.stop();
        await simulation.stop();
      }
    },
    3 * WAIT_MS,
  );
});
