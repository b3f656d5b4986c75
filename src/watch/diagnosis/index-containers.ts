import { type ContainerRef, engineOf } from '../../model/target.ts';

/** What a Docker Engine calls a container, as its events and its lists do. Not every container is of a compose project. */
export interface ContainerNames {
  readonly name: string;
  /** The previous name, when it was renamed. */
  readonly oldName?: string;
  readonly project?: string;
  readonly service?: string;
}

/** Finds those of many targets that name a container of an engine, now or before it was renamed, among thousands. */
export function indexContainers<T extends { readonly container?: ContainerRef }>(targets: readonly T[]) {
  // No engine, container, project or service has a blank in its name.
  const keyOf = (one: ContainerRef) => ('name' in one ? one.name : `${one.project} ${one.service}`);
  const byContainer = Map.groupBy(targets, ({ container: one }) => one && `${engineOf(one)} ${keyOf(one)}`);
  return ({ name, oldName = name, project, service }: ContainerNames, engine: string): readonly T[] => {
    const keys = new Set([`${engine} ${name}`, `${engine} ${oldName}`, `${engine} ${project} ${service}`]);
    return [...keys].flatMap((key) => byContainer.get(key) ?? []);
  };
}
