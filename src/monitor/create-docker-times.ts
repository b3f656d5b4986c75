import type { ContainerObservation } from '../model/observation.ts';

/** A time as Docker tells it, in Unix milliseconds, with what it was taken for when it was first seen. */
interface Known {
  readonly wallMs: number;
  readonly at: number;
}

const MAX_CONTAINERS = 10_000;

/**
 * Turns Docker's times of a container into watched time. Each is converted once: when the clock of the machine is set, a
 * container has not started again.
 */
export function createDockerTimes(
  fromWall: (wallMs: number) => number,
): (observation: ContainerObservation) => ContainerObservation {
  /** By container, those used last at the end. */
  const containers = new Map<string, { readonly startedAt?: Known; readonly finishedAt?: Known }>();

  const convert = (before: Known | undefined, wallMs: number | undefined): Known | undefined =>
    wallMs === undefined || before?.wallMs === wallMs ? before : { wallMs, at: fromWall(wallMs) };

  return (observation) => {
    if (observation.kind !== 'found') return observation;
    const { startedAt, finishedAt, ...container } = observation.container;
    const before = containers.get(container.id);
    const started = convert(before?.startedAt, startedAt);
    const finished = convert(before?.finishedAt, finishedAt);
    containers.delete(container.id);
    containers.set(container.id, { ...(started && { startedAt: started }), ...(finished && { finishedAt: finished }) });
    for (const oldest of containers.keys()) {
      if (containers.size <= MAX_CONTAINERS) break;
      containers.delete(oldest);
    }
    return {
      kind: 'found',
      container: {
        ...container,
        ...(startedAt !== undefined && started && { startedAt: started.at }),
        ...(finishedAt !== undefined && finished && { finishedAt: finished.at }),
      },
    };
  };
}
