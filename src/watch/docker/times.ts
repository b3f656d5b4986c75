import type { Container, ContainerObservation } from '../../model/observation.ts';

/** Three of each container, of which there may be ten thousand, and those of runs that are over. */
const MAX_TIMES = 50_000;

/**
 * Converts Docker's times of a container to watched time. Each is converted once, so that a change of the machine's
 * clock does not look like a restart.
 */
export function createDockerTimes(
  fromWall: (wallMs: number) => number,
): (observation: ContainerObservation) => ContainerObservation {
  /** By container and Docker's time, most recently used last. */
  const known = new Map<string, number>();

  const convert = (
    { id, ...container }: Container,
    what: 'createdAt' | 'startedAt' | 'finishedAt',
  ): Partial<Container> => {
    const wallMs = container[what];
    if (wallMs === undefined) return {};
    const key = `${id} ${wallMs}`;
    const at = known.get(key) ?? fromWall(wallMs);
    known.delete(key);
    known.set(key, at);
    for (const oldest of known.keys()) {
      if (known.size <= MAX_TIMES) break;
      known.delete(oldest);
    }
    return { [what]: at };
  };

  return (observation) => {
    if (observation.kind !== 'found') return observation;
    const { container } = observation;
    return {
      ...observation,
      container: {
        ...container,
        ...convert(container, 'createdAt'),
        ...convert(container, 'startedAt'),
        ...convert(container, 'finishedAt'),
      },
    };
  };
}
