import { type ContainerPlan, type Containers, DEMO_PROJECT, type SimulatedContainer } from './containers.ts';
import { type Effects, SERVICES } from './effects.ts';
import { frontendKilledLines } from './log-lines.ts';
import type { NodeIdentity } from './node-identity.ts';
import { shapeOf } from './node-shapes.ts';
import type { SubnetLogs } from './print-subnet-logs.ts';

const MIB = 2 ** 20;

/** The bootnode is in the image of a node; Nethermind has none. */
const bootnodeImage = (nodes: readonly NodeIdentity[]): string =>
  nodes.map((node) => shapeOf(node)).find(({ reportsStats }) => reportsStats)?.image ?? '';

/** The container of a node. */
export const planNode = (node: NodeIdentity, logLevel: number): ContainerPlan => ({
  service: node.name,
  env: shapeOf(node).env(node, logLevel),
  image: shapeOf(node).image,
  args: shapeOf(node).args,
  stoppedWith: shapeOf(node).stoppedWith,
  ip: node.ip,
  memoryLimitBytes: 2_048 * MIB,
});

/** A container for each program of the subnet. */
export const planContainers = (nodes: readonly NodeIdentity[], logLevel: number): readonly ContainerPlan[] => [
  ...nodes.map((node) => planNode(node, logLevel)),
  ...['bootnode', ...SERVICES].map((service, index) => ({
    service,
    env: [],
    image: service === 'bootnode' ? bootnodeImage(nodes) : `demo/${service}:v1`,
    args: service === 'bootnode' ? ['-verbosity', '6', '-nodekey', 'bootnode.key'] : [],
    // Those that ignore SIGTERM are killed in the end.
    stoppedWith: ['relayer', 'stats'].includes(service) ? 1 : 137,
    ip: `192.168.24.${51 + index}`,
    memoryLimitBytes: 512 * MIB,
  })),
];

const TICK_MS = 500;

/** A node that cannot bind its socket ends at once; a build takes a while to use up the memory. One that was killed is not killed again. */
const LIVES_MS = { killed: 5_000, 'ipc-path-too-long': 500, 'read-only': 500, 'out-of-memory': 3_000 } as const;

/** Docker waits before it restarts a container that has hardly run. */
const PAUSE_MS = 5_000;
const HARDLY_MS = 10_000;

/** As `docker stop` does it: the program may say that it ends. */
export function stopContainer(
  containers: Containers,
  logs: SubnetLogs,
  { service, stoppedWith }: SimulatedContainer,
  at: number,
): void {
  logs.printStop(service, at);
  containers.stop(service, stoppedWith);
}

/**
 * Lets the containers live and die as `effects` wants it, and their programs print, until the returned function is
 * called. What is wrong at the start has happened when this returns.
 */
export function runContainers(
  containers: Containers,
  logs: SubnetLogs,
  effects: () => Effects,
  now: () => number,
  unlisted: ContainerPlan,
): () => void {
  const start = (service: string) => {
    containers.start(service);
    logs.printStart(service, now());
  };

  const pauseAfter = ({ startedAt, finishedAt = 0 }: SimulatedContainer): number =>
    finishedAt - startedAt < HARDLY_MS ? PAUSE_MS : 0;

  let outOfFiles: readonly string[] = [];
  /** Containers come, go and move to other projects; a new one has a higher limit of files. */
  const arrange = () => {
    const limited = effects().outOfFiles;
    const raised = outOfFiles.filter((name) => !limited.includes(name));
    outOfFiles = limited;
    const isThere = containers.all().some(({ service }) => service === unlisted.service);
    if (effects().unlisted && !isThere) containers.add(unlisted);
    if (!effects().unlisted && isThere) containers.remove(unlisted.service);
    for (const { service, project } of containers.all()) {
      const wanted = effects().projects[service] ?? DEMO_PROJECT;
      if (project === wanted && !raised.includes(service)) continue;
      containers.recreate(service, wanted);
      logs.printStart(service, now());
    }
  };

  const step = (container: SimulatedContainer) => {
    const { service, status, startedAt, finishedAt = 0 } = container;
    const fate = effects().fates[service];
    if (fate === 'stopped') {
      if (status !== 'exited') stopContainer(containers, logs, container, now());
    } else if (status === 'exited' || (status === 'restarting' && now() - finishedAt >= pauseAfter(container))) {
      start(service);
    } else if (fate !== undefined && status === 'running' && now() - startedAt >= LIVES_MS[fate]) {
      const isKilled = fate === 'out-of-memory';
      if (isKilled) containers.print(service, frontendKilledLines);
      else if (fate !== 'killed') logs.printFatal(service, fate, now());
      // The exit code of a node's container is that of its log pipe: 0 however the node died.
      containers.die(service, isKilled ? 137 : 0, isKilled);
    }
  };

  const tick = () => {
    arrange();
    for (const container of containers.all()) step(container);
    logs.tick();
  };
  tick();
  const timer = setInterval(tick, TICK_MS);
  return () => clearInterval(timer);
}
