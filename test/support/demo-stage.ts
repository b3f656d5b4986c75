import { parse, stringify } from 'yaml';
import type { DemoClient } from '../../src/demo/demo-client.ts';
import { type Simulation, startSimulation } from '../../src/demo/start-simulation.ts';
import { createClock } from '../../src/lib/clock.ts';
import type { SubnetState } from '../../src/model/snapshot.ts';
import { parseInventory } from '../../src/watch/inventory/parse-inventory.ts';
import { createMonitor } from '../../src/watch/monitor/create-monitor.ts';
import type { DiagnosisInput } from '../../src/watch/monitor/replay.ts';

/** The kinds of networks whose faults are measured. A fault of one node is one of subnet2, so that is where Nethermind runs. */
export const KINDS = {
  go: ['go', 'go', 'go', 'go'],
  xdposchain: ['xdposchain', 'xdposchain', 'xdposchain', 'xdposchain'],
  mixed: ['go', 'nethermind', 'go', 'go'],
} as const satisfies Readonly<Record<string, readonly DemoClient[]>>;
export type Kind = keyof typeof KINDS;

/** A subnet to simulate. */
export interface StagePlan {
  readonly name: string;
  readonly clients: readonly DemoClient[];
  readonly browser?: string | undefined;
}

/** A simulated subnet, and what the monitor says of it. */
export interface StagedSubnet {
  readonly name: string;
  readonly simulation: Simulation;
  readonly state: () => SubnetState;
  /** What the diagnosis was made of that has last found a problem to be open. */
  readonly input: () => DiagnosisInput | undefined;
}

export interface Stage {
  readonly subnets: readonly StagedSubnet[];
  /** What the monitor took for its own mistakes. */
  readonly bugs: readonly unknown[];
  stop(): Promise<void>;
}

interface Document {
  readonly subnets: readonly object[];
  readonly docker: object;
}

/** Adds the engine to everything that is in a container. */
const onEngine = (value: unknown, engine: string): unknown => {
  if (Array.isArray(value)) return value.map((each) => onEngine(each, engine));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === 'container' ? { ...each, engine } : onEngine(each, engine),
    ]),
  );
};

/** One monitor that watches several simulated subnets, each with a Docker Engine of its own. */
export async function startStage(
  plans: readonly StagePlan[],
  options: Partial<Pick<Parameters<typeof startSimulation>[0], 'checks' | 'roundTimeoutMs' | 'faults'>> = {},
): Promise<Stage> {
  const simulations: Simulation[] = [];
  const stopAll = async () => {
    await Promise.all(simulations.map((simulation) => simulation.stop()));
  };
  for (const { clients, browser } of plans)
    simulations.push(
      await startSimulation({
        nodes: clients.length,
        clients,
        faults: [],
        ...options,
        ...(browser !== undefined && { browser }),
      }),
    );
  const documents = simulations.map((simulation) => parse(simulation.inventory()) as Document);
  const parsed = parseInventory(
    stringify({
      subnets: documents.flatMap(({ subnets }, index) => {
        const name = plans[index]?.name ?? '';
        return subnets.map((subnet) => ({ ...(onEngine(subnet, name) as object), name }));
      }),
      docker: { engines: Object.fromEntries(documents.map(({ docker }, index) => [plans[index]?.name, docker])) },
    }),
    {},
  );
  if (!parsed.ok) {
    await stopAll();
    throw new Error(`the inventory of the stage is bad: ${JSON.stringify(parsed)}`);
  }
  const bugs: unknown[] = [];
  const monitor = createMonitor({
    clock: createClock({
      monotonic: () => performance.now(),
      // All are watched from one machine.
      wall: () => Math.max(...simulations.map(({ monitorTime }) => monitorTime())),
    }),
    scheduled: true,
    onBug: (error) => bugs.push(error),
  });
  monitor.load(parsed.inventory);
  return {
    subnets: simulations.map((simulation, index) => {
      const name = plans[index]?.name ?? '';
      return {
        name,
        simulation,
        input: () => monitor.inputOf(name),
        state: () => {
          const state = monitor.snapshot().find(({ subnet }) => subnet.name === name);
          if (state === undefined) throw new Error(`the monitor does not watch ${name}`);
          return state;
        },
      };
    }),
    bugs,
    stop: async () => {
      await monitor.stop();
      await stopAll();
    },
  };
}
