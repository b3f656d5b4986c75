import { isDeepStrictEqual } from 'node:util';
import { within } from '../../lib/promises.ts';
import type { LogFault } from '../../model/log.ts';
import type { ContainerObservation } from '../../model/observation.ts';
import { type ContainerRef, type DockerAddress, engineOf } from '../../model/target.ts';
import { createDocker, type Docker } from './engine.ts';
import type { DockerEvent } from './events.ts';
import type { ExecOutcome } from './exec.ts';
import type { ProjectListing, SetupInspection } from './inspect.ts';
import type { LogContainer } from './log-container.ts';

/** The link to one Docker Engine, opened only when a target names a container. */
export interface DockerLink {
  /** Connects to this address instead of another; undefined when no target needs the engine. */
  setAddress(address: DockerAddress | undefined): void;
  /** Never rejects; ends after `timeoutMs` or when the signal aborts. */
  inspect(ref: ContainerRef, timeoutMs: number, signal?: AbortSignal): Promise<ContainerObservation>;
  /** Inspects a container for how it was made. Never rejects; ends after `timeoutMs` or when the signal aborts. */
  inspectSetup(ref: ContainerRef, timeoutMs: number, signal?: AbortSignal): Promise<SetupInspection>;
  /** Lists the containers of a compose project, or of none. Never rejects; ends after `timeoutMs` or when the signal aborts. */
  listProject(project: string | undefined, timeoutMs: number, signal?: AbortSignal): Promise<ProjectListing>;
  /** Asks where the engine serves its API to anybody. Never rejects; ends after `timeoutMs` or when the signal aborts. */
  listOpenApis(timeoutMs: number, signal?: AbortSignal): ReturnType<Docker['listOpenApis']>;
  /** Finds the container whose log is the target's now, or says why there is none. Never rejects. */
  findLog(ref: ContainerRef, signal?: AbortSignal): Promise<LogContainer | LogFault>;
  /** Runs a command in the container. Never rejects; ends after `timeoutMs` or when the signal aborts. */
  exec(ref: ContainerRef, command: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<ExecOutcome>;
  /** Opens the log of a container by its id. Rejects when there is none. */
  readonly openLog: Docker['openLog'];
  /** Opens the last lines of the log of a container by its id. Rejects when there is none. */
  readonly openTail: Docker['openTail'];
  /** Is the stream of events open, and does the engine answer? Undefined while it is unused or was never asked. */
  isUp(): boolean | undefined;
  stop(): void;
}

interface Engine {
  readonly address: DockerAddress;
  readonly docker: Docker;
  up?: boolean;
  /** Number of answers and events so far. An engine that hangs may keep the stream of events open. */
  answers: number;
  hangs: boolean;
}

const FIND_LOG_MS = 10_000;

type Unreachable = Extract<ContainerObservation, { kind: 'docker-unreachable' }>;

const isUnreachable = (answer: { readonly kind: string }): answer is Unreachable =>
  answer.kind === 'docker-unreachable';

/** Creates a link that reports every event of its engine, and when the stream of events opens or is lost. */
export function createDockerLink(onEvent: (event: DockerEvent) => void, onState = () => {}): DockerLink {
  let engine: Engine | undefined;

  const recordAnswer = (of: Engine) => {
    of.answers += 1;
    of.hangs = false;
  };

  const open = (address: DockerAddress): Engine => {
    const opened: Engine = { address, docker: createDocker(address), answers: 0, hangs: false };
    opened.docker.follow(
      (event) => {
        recordAnswer(opened);
        onEvent(event);
      },
      (up) => {
        recordAnswer(opened);
        opened.up = up;
        onState();
      },
    );
    return opened;
  };

  /** Runs a request and records whether the engine answers. */
  const request = async <T extends { readonly kind: string }>(
    timeoutMs: number,
    outer: AbortSignal | undefined,
    work: (docker: Docker, signal: AbortSignal) => Promise<T | Unreachable>,
  ): Promise<T | Unreachable> => {
    if (engine === undefined) throw new Error('a container was inspected before the engine was chosen');
    const asked = engine;
    const before = asked.answers;
    const answer = await within(outer, timeoutMs, (signal) => work(asked.docker, signal));
    if (!isUnreachable(answer)) recordAnswer(asked);
    else if (answer.why.code === 'timeout' && outer?.aborted !== true) {
      // A single container that Docker cannot inspect does not mean that the engine hangs.
      if (asked.answers !== before) return { ...answer, why: { ...answer.why, answersOthers: true } };
      asked.hangs = true;
    }
    return answer;
  };

  return {
    setAddress: (address) => {
      if (isDeepStrictEqual(engine?.address, address)) return;
      engine?.docker.stop();
      engine = address && open(address);
    },
    inspect: (ref, timeoutMs, outer) => request(timeoutMs, outer, (docker, signal) => docker.inspect(ref, signal)),
    inspectSetup: (ref, timeoutMs, outer) =>
      request(timeoutMs, outer, (docker, signal) => docker.inspectSetup(ref, signal)),
    listProject: (project, timeoutMs, outer) =>
      request(timeoutMs, outer, (docker, signal) => docker.listProject(project, signal)),
    listOpenApis: async (timeoutMs, outer) => {
      const docker = engine?.docker;
      return docker && within(outer, timeoutMs, (signal) => docker.listOpenApis(signal));
    },
    findLog: async (ref, outer) => {
      const found = await request(FIND_LOG_MS, outer, (docker, signal) => docker.inspectLog(ref, signal));
      if (found.kind === 'found') return found.log;
      return { what: found.kind === 'missing' ? 'no-container' : 'docker-unreachable' };
    },
    exec: async (ref, command, timeoutMs, outer) => {
      if (engine === undefined) return { ok: false, why: 'docker' };
      const { docker } = engine;
      return within(outer, timeoutMs, async (signal): Promise<ExecOutcome> => {
        const found = await docker.inspect(ref, signal);
        if (found.kind === 'docker-unreachable') return { ok: false, why: 'docker' };
        if (found.kind === 'missing') return { ok: false, why: 'no-container' };
        return found.container.running
          ? docker.exec(found.container.id, command, signal)
          : { ok: false, why: 'not-running' };
      });
    },
    openLog: async (id, since, signal) => {
      if (engine === undefined) throw new Error('no engine is chosen');
      return engine.docker.openLog(id, since, signal);
    },
    openTail: async (id, lines, signal) => {
      if (engine === undefined) throw new Error('no engine is chosen');
      return engine.docker.openTail(id, lines, signal);
    },
    isUp: () => (engine?.hangs === true ? false : engine?.up),
    stop: () => engine?.docker.stop(),
  };
}

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
