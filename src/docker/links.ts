import { type ContainerRef, type DockerAddress, engineOf } from '../model/target.ts';
import type { DockerEvent } from './event.ts';
import { createDockerLink, type DockerLink } from './link.ts';

/** The Docker Engines as the monitor uses them: each container is asked for on its own engine, and none waits for another. */
export interface DockerLinks extends Pick<DockerLink, 'inspect' | 'findLog' | 'exec' | 'stop'> {
  /** Opens these engines; those that stay at their address go on undisturbed, and all others end. */
  use(engines: Readonly<Record<string, DockerAddress>>): void;
  /** The log of a container by its id, on the engine of the reference. */
  openLog(ref: ContainerRef, ...asked: Parameters<DockerLink['openLog']>): ReturnType<DockerLink['openLog']>;
  /** Does each engine answer? Undefined while it has not been asked yet. */
  areUp(): ReadonlyMap<string, boolean | undefined>;
}

/** Links without an engine yet. `onEvent` is given each event with the name of its engine. */
export function createDockerLinks(onEvent: (event: DockerEvent, engine: string) => void): DockerLinks {
  const links = new Map<string, DockerLink>();
  /** Asked for a container whose engine was removed by a reload. */
  const unused = createDockerLink(() => {});
  const linkOf = (ref: ContainerRef): DockerLink => links.get(engineOf(ref)) ?? unused;
  return {
    use: (engines) => {
      const wanted = new Map(Object.entries(engines));
      for (const [name, link] of links) {
        if (wanted.has(name)) continue;
        links.delete(name);
        link.stop();
      }
      for (const [name, address] of wanted) {
        const link = links.get(name) ?? createDockerLink((event) => onEvent(event, name));
        links.set(name, link);
        link.use(address);
      }
    },
    inspect: (ref, ...asked) => linkOf(ref).inspect(ref, ...asked),
    findLog: (ref, ...asked) => linkOf(ref).findLog(ref, ...asked),
    exec: (ref, ...asked) => linkOf(ref).exec(ref, ...asked),
    openLog: (ref, ...asked) => linkOf(ref).openLog(...asked),
    areUp: () => new Map([...links].map(([name, link]) => [name, link.isUp()])),
    stop: () => {
      for (const link of links.values()) link.stop();
    },
  };
}
