import { type ContainerRef, type DockerAddress, engineOf } from '../../model/target.ts';
import type { DockerEvent } from './event.ts';
import { createDockerLink, type DockerLink } from './link.ts';

/**
 * The links to all Docker Engines. Each request goes to the engine of its container, and none waits for another engine.
 */
export interface DockerLinks extends Pick<DockerLink, 'inspect' | 'inspectSetup' | 'findLog' | 'exec' | 'stop'> {
  /** Opens these engines and closes all others. Engines whose address has not changed continue undisturbed. */
  setEngines(engines: Readonly<Record<string, DockerAddress>>): void;
  /** Opens the log of a container by its id, on the engine of the reference. */
  openLog(ref: ContainerRef, ...asked: Parameters<DockerLink['openLog']>): ReturnType<DockerLink['openLog']>;
  /** Opens the last lines of the log of a container by its id, on the engine of the reference. */
  openTail(ref: ContainerRef, ...asked: Parameters<DockerLink['openTail']>): ReturnType<DockerLink['openTail']>;
  /** Lists the containers of a compose project, or of none, on the engine of this name. */
  listProject(engine: string, ...asked: Parameters<DockerLink['listProject']>): ReturnType<DockerLink['listProject']>;
  /** Asks where the engine of this name serves its API to anybody. */
  listOpenApis(
    engine: string,
    ...asked: Parameters<DockerLink['listOpenApis']>
  ): ReturnType<DockerLink['listOpenApis']>;
  /** Do the events of the reference's engine arrive? */
  hasEvents(ref: ContainerRef): boolean;
  /** Does each engine answer? Undefined while it was never asked. */
  areUp(): ReadonlyMap<string, boolean | undefined>;
}

/**
 * Starts without engines. `onEvent` receives each event with the name of its engine, `onState` the name of an engine whose
 * stream of events opens or is lost.
 */
export function createDockerLinks(
  onEvent: (event: DockerEvent, engine: string) => void,
  onState: (engine: string) => void = () => {},
): DockerLinks {
  const links = new Map<string, DockerLink>();
  /** For a container whose engine was removed by a reload. */
  const unused = createDockerLink(() => {});
  const createLink = (name: string) =>
    createDockerLink(
      (event) => onEvent(event, name),
      () => onState(name),
    );
  const linkOf = (ref: ContainerRef): DockerLink => links.get(engineOf(ref)) ?? unused;
  return {
    setEngines: (engines) => {
      const wanted = new Map(Object.entries(engines));
      for (const [name, link] of links) {
        if (wanted.has(name)) continue;
        links.delete(name);
        link.stop();
      }
      for (const [name, address] of wanted) {
        const link = links.get(name) ?? createLink(name);
        links.set(name, link);
        link.setAddress(address);
      }
    },
    inspect: (ref, ...asked) => linkOf(ref).inspect(ref, ...asked),
    inspectSetup: (ref, ...asked) => linkOf(ref).inspectSetup(ref, ...asked),
    listProject: (engine, ...asked) => (links.get(engine) ?? unused).listProject(...asked),
    listOpenApis: (engine, ...asked) => (links.get(engine) ?? unused).listOpenApis(...asked),
    findLog: (ref, ...asked) => linkOf(ref).findLog(ref, ...asked),
    exec: (ref, ...asked) => linkOf(ref).exec(ref, ...asked),
    openLog: (ref, ...asked) => linkOf(ref).openLog(...asked),
    openTail: (ref, ...asked) => linkOf(ref).openTail(...asked),
    hasEvents: (ref) => linkOf(ref).isUp() === true,
    areUp: () => new Map([...links].map(([name, link]) => [name, link.isUp()])),
    stop: () => {
      for (const link of links.values()) link.stop();
    },
  };
}
