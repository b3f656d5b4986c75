import { type ContainerRef, engineOf } from '../../model/target.ts';

/** What a Docker Engine calls a container, as its events and its lists do. Not every container is of a compose project. */
export interface ContainerNames {
  readonly name: string;
  /** The previous name, when it was renamed. */
  readonly oldName?: string;
  readonly project?: string;
  readonly service?: string;
}

/** No engine, container, project or service has a blank in its name. */
function keyOf({ container }: { readonly container?: ContainerRef }): string | undefined {
  if (container === undefined) return undefined;
  const engine = engineOf(container);
  return 'name' in container ? `${engine} ${container.name}` : `${engine} ${container.project} ${container.service}`;
}

/** Finds those of many targets that name a container of an engine, now or before it was renamed, among thousands. */
export function indexContainers<T extends { readonly container?: ContainerRef }>(
  targets: readonly T[],
): (container: ContainerNames, engine: string) => readonly T[] {
  const byContainer = Map.groupBy(targets, keyOf);
  return ({ name, oldName = name, project, service }, engine) => {
    const keys = new Set([`${engine} ${name}`, `${engine} ${oldName}`, `${engine} ${project} ${service}`]);
    return [...keys].flatMap((key) => byContainer.get(key) ?? []);
  };
}
