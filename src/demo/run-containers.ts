import type { Containers, SimulatedContainer } from './containers.ts';
import type { Effects } from './effects.ts';
import { frontendKilledLines } from './log-lines.ts';
import type { SubnetLogs } from './print-subnet-logs.ts';

const TICK_MS = 500;

/** A node that cannot bind its socket ends at once; a build takes a while to use up the memory. */
const LIVES_MS = { 'ipc-path-too-long': 500, 'read-only': 500, 'out-of-memory': 3_000 } as const;

/** Docker waits before it restarts a container that has hardly run. */
const PAUSE_MS = 5_000;

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
): () => void {
  const start = (service: string) => {
    containers.start(service);
    logs.printStart(service, now());
  };

  const step = (container: SimulatedContainer) => {
    const { service, status, startedAt, finishedAt = 0 } = container;
    const fate = effects().fates[service];
    if (fate === 'stopped') {
      if (status !== 'exited') stopContainer(containers, logs, container, now());
    } else if (status === 'exited' || (status === 'restarting' && now() - finishedAt >= PAUSE_MS)) {
      start(service);
    } else if (fate !== undefined && status === 'running' && now() - startedAt >= LIVES_MS[fate]) {
      const isKilled = fate === 'out-of-memory';
      if (isKilled) containers.print(service, frontendKilledLines);
      else logs.printFatal(service, fate, now());
      // The exit code of a node's container is that of its log pipe: 0 however the node died.
      containers.die(service, isKilled ? 137 : 0, isKilled);
    }
  };

  const tick = () => {
    for (const container of containers.all()) step(container);
    logs.tick();
  };
  tick();
  const timer = setInterval(tick, TICK_MS);
  return () => clearInterval(timer);
}
