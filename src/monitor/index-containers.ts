import type { DockerEvent } from '../docker/event.ts';
import { engineOf, type Subnet, type Target } from '../model/target.ts';

/** By its name, or by its compose project and service. */
const toKey = (engine: string, ...words: readonly string[]): string => JSON.stringify([engine, ...words]);

function keyOf({ container }: Target): string | undefined {
  if (container === undefined) return undefined;
  const engine = engineOf(container);
  return 'name' in container ? toKey(engine, container.name) : toKey(engine, container.project, container.service);
}

/**
 * Finds the targets whose container an event of an engine is about. A rename is about the old name too. Events may come by the
 * thousand, so none is compared with each target.
 */
export function indexContainers(
  subnets: readonly Subnet[],
): (event: Pick<DockerEvent, 'name' | 'oldName' | 'project' | 'service'>, engine: string) => readonly Target[] {
  const byContainer = Map.groupBy(
    subnets.flatMap(({ targets }) => targets),
    keyOf,
  );
  return ({ name, oldName = name, project, service }, engine) => {
    const keys = new Set([toKey(engine, name), toKey(engine, oldName)]);
    if (project !== undefined && service !== undefined) keys.add(toKey(engine, project, service));
    return [...keys].flatMap((key) => byContainer.get(key) ?? []);
  };
}
