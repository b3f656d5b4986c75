import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { within } from '../../lib/promises.ts';
import type { LogFault } from '../../model/log.ts';
import type { ContainerObservation } from '../../model/observation.ts';
import { type ContainerRef, type DockerAddress, engineOf } from '../../model/target.ts';
import { createDocker, type Docker } from './engine.ts';
import type { DockerEvent } from './events.ts';
import type { ExecOutcome } from './exec.ts';
import type { SetupInspection } from './inspect.ts';
import type { LogContainer } from './log-container.ts';

/** The link to one Docker Engine, opened only when a target names a container. */
export type DockerLink = ReturnType<typeof createDockerLink>;

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

/**
 * Creates a link that reports every event of its engine, and when the stream of events opens or is lost. What takes a time in
 * milliseconds never rejects, and ends after that time or when the signal aborts.
 */
export function createDockerLink(onEvent: (event: DockerEvent) => void, onState = () => {}) {
  let engine: Engine | undefined;

  const recordAnswer = (of: Engine) => {
    of.answers += 1;
    of.hangs = false;
  };

  const connect = (address: DockerAddress): Engine => {
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

  /** Opens the stream of a log. Rejects when there is no engine. */
  const open = async (work: (docker: Docker) => Promise<IncomingMessage>): Promise<IncomingMessage> => {
    if (engine === undefined) throw new Error('no engine is chosen');
    return work(engine.docker);
  };

  return {
    /** Connects to this address instead of another; undefined when no target needs the engine. */
    setAddress: (address: DockerAddress | undefined) => {
      if (isDeepStrictEqual(engine?.address, address)) return;
      engine?.docker.stop();
      engine = address && connect(address);
    },
    inspect: (ref: ContainerRef, timeoutMs: number, outer?: AbortSignal): Promise<ContainerObservation> =>
      request(timeoutMs, outer, (docker, signal) => docker.inspect(ref, signal)),
    /** Inspects a container for how it was made. */
    inspectSetup: (ref: ContainerRef, timeoutMs: number, outer?: AbortSignal): Promise<SetupInspection> =>
      request(timeoutMs, outer, (docker, signal) => docker.inspectSetup(ref, signal)),
    /** Lists the containers of a compose project, or of none. */
    listProject: (project: string | undefined, timeoutMs: number, outer?: AbortSignal) =>
      request(timeoutMs, outer, (docker, signal) => docker.listProject(project, signal)),
    /** Asks where the engine serves its API to anybody. */
    listOpenApis: async (timeoutMs: number, outer?: AbortSignal) => {
      const docker = engine?.docker;
      return docker && within(outer, timeoutMs, (signal) => docker.listOpenApis(signal));
    },
    /** Finds the container whose log is the target's now, or says why there is none. Never rejects. */
    findLog: async (ref: ContainerRef, outer?: AbortSignal): Promise<LogContainer | LogFault> => {
      const found = await request(FIND_LOG_MS, outer, (docker, signal) => docker.inspectLog(ref, signal));
      if (found.kind === 'found') return found.log;
      return { what: found.kind === 'missing' ? 'no-container' : 'docker-unreachable' };
    },
    /** Runs a command in the container. */
    exec: async (
      ref: ContainerRef,
      command: readonly string[],
      timeoutMs: number,
      outer?: AbortSignal,
    ): Promise<ExecOutcome> => {
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
    openLog: (...asked: Parameters<Docker['openLog']>) => open((docker) => docker.openLog(...asked)),
    openTail: (...asked: Parameters<Docker['openTail']>) => open((docker) => docker.openTail(...asked)),
    /** Is the stream of events open, and does the engine answer? Undefined while it is unused or was never asked. */
    isUp: () => (engine?.hangs === true ? false : engine?.up),
    stop: () => engine?.docker.stop(),
  };
}

/** The links to all Docker Engines. */
export type DockerLinks = ReturnType<typeof createDockerLinks>;

/** What a function of a link takes after its first argument, or all that it takes. */
type Rest<Name extends keyof DockerLink> = Parameters<DockerLink[Name]> extends [unknown, ...infer More] ? More : never;
type All<Name extends keyof DockerLink> = Parameters<DockerLink[Name]>;

/**
 * Starts without engines. Each request goes to the engine of its container, and none waits for another engine. `onEvent` receives
 * each event with the name of its engine, `onState` the name of an engine whose stream of events opens or is lost.
 */
export function createDockerLinks(
  onEvent: (event: DockerEvent, engine: string) => void,
  onState: (engine: string) => void = () => {},
) {
  const links = new Map<string, DockerLink>();
  /** For a container whose engine was removed by a reload. */
  const unused = createDockerLink(() => {});
  const createLink = (name: string) =>
    createDockerLink(
      (event) => onEvent(event, name),
      () => onState(name),
    );
  const linkNamed = (engine: string): DockerLink => links.get(engine) ?? unused;
  const linkOf = (ref: ContainerRef): DockerLink => linkNamed(engineOf(ref));
  return {
    /** Opens these engines and closes all others. Engines whose address has not changed continue undisturbed. */
    setEngines: (engines: Readonly<Record<string, DockerAddress>>) => {
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
    inspect: (ref: ContainerRef, ...asked: Rest<'inspect'>) => linkOf(ref).inspect(ref, ...asked),
    inspectSetup: (ref: ContainerRef, ...asked: Rest<'inspectSetup'>) => linkOf(ref).inspectSetup(ref, ...asked),
    findLog: (ref: ContainerRef, ...asked: Rest<'findLog'>) => linkOf(ref).findLog(ref, ...asked),
    exec: (ref: ContainerRef, ...asked: Rest<'exec'>) => linkOf(ref).exec(ref, ...asked),
    openLog: (ref: ContainerRef, ...asked: All<'openLog'>) => linkOf(ref).openLog(...asked),
    openTail: (ref: ContainerRef, ...asked: All<'openTail'>) => linkOf(ref).openTail(...asked),
    listProject: (engine: string, ...asked: All<'listProject'>) => linkNamed(engine).listProject(...asked),
    listOpenApis: (engine: string, ...asked: All<'listOpenApis'>) => linkNamed(engine).listOpenApis(...asked),
    /** Do the events of the reference's engine arrive? */
    hasEvents: (ref: ContainerRef) => linkOf(ref).isUp() === true,
    /** Does each engine answer? Undefined while it was never asked. */
    areUp: (): ReadonlyMap<string, boolean | undefined> =>
      new Map([...links].map(([name, link]) => [name, link.isUp()])),
    stop: () => {
      for (const link of links.values()) link.stop();
    },
  };
}
