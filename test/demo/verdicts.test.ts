import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoNodeNames, expectedChanges, FAULT_NAMES, type FaultName } from '../../src/demo/faults.ts';
import { type Simulation, startSimulation } from '../../src/demo/start-simulation.ts';
import { parseInventory } from '../../src/inventory/parse-inventory.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { createMonitor, type Monitor } from '../../src/monitor/create-monitor.ts';
import { eventually } from '../support/cli.ts';

const checks = {
  rpc: { schedule: 'every 500ms', timeout: '2s', stallAfter: '5s' },
  services: { schedule: 'every 500ms', timeout: '2s' },
  // The simulated relayer has the real one's rhythm: a cycle every 20 s.
  logs: { schedule: 'every 500ms', bootnodeWindow: '6s', submissionsWithin: '30s', blockDataWithin: '6s' },
};

/** The simulated subnet with faults, watched by the real monitor. */
async function watch(faults: readonly FaultName[]) {
  const simulation = await startSimulation({ nodes: 4, faults, checks });
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
  });
  afterAll(async () => {
    for (const { monitor, simulation } of watched.values()) {
      await monitor.stop();
      await simulation.stop();
    }
  });

  it.concurrent.each(cases.map((faults) => [faults.join(' and ') || 'nothing', faults] as const))(
    'changes exactly what is promised when %s is broken',
    async (_what, faults) => {
      const { monitor, bugs } = watched.get(faults.join()) as { monitor: Monitor; bugs: unknown[] };
      const { fails, degrades } = expectedChanges(faults, demoNodeNames(4));
      await eventually(() => {
        expect(withVerdict(monitor, 'fail')).toEqual([...fails].sort());
        expect(withVerdict(monitor, 'degraded')).toEqual([...degrades].sort());
        expect(withVerdict(monitor, 'unknown')).toEqual([]);
      }, 75_000);
      // And it stays so for longer than a stall takes.
      const until = performance.now() + 6000;
      while (performance.now() < until) {
        expect(withVerdict(monitor, 'fail')).toEqual([...fails].sort());
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
      expect(bugs).toEqual([]);
    },
    90_000,
  );
});
