import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoNodeNames, expectedChanges, FAULT_NAMES, type FaultName } from '../../src/demo/faults.ts';
import { type Simulation, startSimulation } from '../../src/demo/start-simulation.ts';
import { parseInventory } from '../../src/inventory/parse-inventory.ts';
import { renderFamilies } from '../../src/metrics/render-families.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { createMonitor, type Monitor } from '../../src/monitor/create-monitor.ts';
import { findChromium } from '../support/chromium.ts';
import { eventually } from '../support/cli.ts';

const checks = {
  rpc: { schedule: 'every 1s', timeout: '10s', stallAfter: '10s' },
  services: { schedule: 'every 1s', timeout: '10s' },
  containers: { schedule: 'every 2s', timeout: '10s' },
  console: { schedule: 'every 3s', timeout: '30s' },
  // The simulated relayer has the real one's rhythm: a cycle every 20 s.
  logs: { schedule: 'every 1s', bootnodeWindow: '15s', submissionsWithin: '30s', blockDataWithin: '15s' },
};

/** Browsers are large: only where the page is worth a look is there one. */
const visited = (faults: readonly FaultName[]): boolean =>
  faults.length === 0 || faults.includes('console-error') || faults.includes('oom-kill');

/** The simulated subnet with faults, watched by the real monitor. */
async function watch(faults: readonly FaultName[]) {
  const simulation = await startSimulation({
    nodes: 4,
    faults,
    checks,
    ...(visited(faults) && { browser: findChromium() }),
  });
  const parsed = parseInventory(simulation.inventory(), {});
  if (!parsed.ok) throw new Error('the inventory of the demo is bad');
  const bugs: unknown[] = [];
  const monitor = createMonitor({
    now: Date.now,
    scheduled: true,
    onFinished: () => {},
    onLate: () => {},
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

const cases: readonly (readonly FaultName[])[] = [
  [],
  ...FAULT_NAMES.map((fault) => [fault]),
  ['node-down', 'admin-not-exposed', 'service-down'],
];

describe('the monitor on the simulated subnet', () => {
  const watched = new Map<string, { simulation: Simulation; monitor: Monitor; bugs: unknown[] }>();
  beforeAll(async () => {
    for (const faults of cases) watched.set(faults.join(), await watch(faults));
  }, 120_000);
  afterAll(async () => {
    await Promise.all(
      [...watched.values()].map(async ({ monitor, simulation }) => {
        await monitor.stop();
        await simulation.stop();
      }),
    );
  }, 120_000);

  it.concurrent.each(cases.map((faults) => [faults.join(' and ') || 'nothing', faults] as const))(
    'changes exactly what is promised when %s is broken',
    async (_what, faults) => {
      const { monitor, bugs } = watched.get(faults.join()) as { monitor: Monitor; bugs: unknown[] };
      const { fails, degrades } = expectedChanges(faults, { nodes: demoNodeNames(4), browser: visited(faults) });
      await eventually(() => {
        expect(withVerdict(monitor, 'fail')).toEqual([...fails].sort());
        expect(withVerdict(monitor, 'degraded')).toEqual([...degrades].sort());
        expect(withVerdict(monitor, 'unknown')).toEqual([]);
      }, 75_000);
      // And it stays so for longer than a stall takes.
      const until = performance.now() + 12_000;
      while (performance.now() < until) {
        expect(withVerdict(monitor, 'fail')).toEqual([...fails].sort());
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
      expect(bugs).toEqual([]);
    },
    120_000,
  );

  it.concurrent.each([
    ['oom-kill', 'frontend', 'out_of_memory', 'give the container or Docker more memory'],
    ['ipc-path-too-long', 'subnet2', 'ipc_path_too_long', 'to a shorter path'],
  ] as const)(
    'counts what %s does to the container of %s, and knows it as %s, with its remedy',
    async (fault, name, failure, remedy) => {
      const { monitor } = watched.get(fault) as { monitor: Monitor };
      const sample = (metric: string, more = '') =>
        Number(
          new RegExp(`^${metric}\\{[^}]*name="${name}"${more}\\} (\\S+)$`, 'm').exec(
            renderFamilies(monitor.snapshot(), () => undefined),
          )?.[1],
        );
      await eventually(() => {
        expect(sample('subnet_known_failure', `,failure="${failure}"`)).toBe(1);
        expect(sample('subnet_container_restarts_total')).toBeGreaterThan(0);
        expect(sample('subnet_container_oom_kills_total') > 0).toBe(fault === 'oom-kill');
        expect(sample('subnet_container_last_exit_code')).toBe(fault === 'oom-kill' ? 137 : 0);
      }, 60_000);
      const targets = monitor.snapshot().flatMap((subnet) => subnet.targets);
      const { checks = [] } = targets.find(({ target }) => target.name === name) ?? {};
      expect(checks.find(({ check }) => check === 'container')?.reason).toContain(remedy);
    },
    70_000,
  );
});
