import { isDeepStrictEqual } from 'node:util';
import type { LogFault } from '../model/log.ts';
import type { ContainerObservation } from '../model/observation.ts';
import type { ContainerRef, DockerAddress } from '../model/target.ts';
import { within } from '../model/within.ts';
import { createDocker, type Docker } from './engine.ts';
import type { DockerEvent } from './event.ts';
import type { ExecOutcome } from './exec.ts';
import type { LogContainer } from './log-container.ts';

/** The Docker Engine as the monitor uses it: opened only when a target names a container. */
export interface DockerLink {
  /** Opens the engine at this address, instead of one at another; undefined: no target needs it. */
  use(address: DockerAddress | undefined): void;
  /** Never rejects; bounded by `timeoutMs` and the signal. */
  inspect(ref: ContainerRef, timeoutMs: number, signal?: AbortSignal): Promise<ContainerObservation>;
  /** Finds the container whose log stands for a target now, or says why there is none. Never rejects. */
  findLog(ref: ContainerRef, signal?: AbortSignal): Promise<LogContainer | LogFault>;
  /** Runs a command in the container; never rejects, and is bounded by `timeoutMs` and the signal. */
  exec(ref: ContainerRef, command: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<ExecOutcome>;
  /** The log of a container, by its id; rejects when none comes. */
  readonly openLog: Docker['openLog'];
  /** Is its stream of events open, and does it answer? Undefined while nobody needs it, or it has not been asked yet. */
  isUp(): boolean | undefined;
  stop(): void;
}

interface Engine {
  readonly address: DockerAddress;
  readonly docker: Docker;
  up?: boolean;
  /** How often it has answered or sent an event; one that hangs keeps the stream of events open. */
  answers: number;
  hangs: boolean;
}

const FIND_LOG_MS = 10_000;

type Unreachable = Extract<ContainerObservation, { kind: 'docker-unreachable' }>;

const isUnreachable = (answer: { readonly kind: string }): answer is Unreachable =>
  answer.kind === 'docker-unreachable';

/** A link that reports every event of the engine. */
export function createDockerLink(onEvent: (event: DockerEvent) => void): DockerLink {
  let engine: Engine | undefined;

  const noteAnswer = (of: Engine) => {
    of.answers += 1;
    of.hangs = false;
  };

  const open = (address: DockerAddress): Engine => {
    const opened: Engine = { address, docker: createDocker(address), answers: 0, hangs: false };
    opened.docker.follow(
      (event) => {
        noteAnswer(opened);
        onEvent(event);
      },
      (up) => {
        noteAnswer(opened);
        opened.up = up;
      },
    );
    return opened;
  };

  /** Notes whether the engine answers. */
  const ask = async <T extends { readonly kind: string }>(
    timeoutMs: number,
    outer: AbortSignal | undefined,
    work: (docker: Docker, signal: AbortSignal) => Promise<T | Unreachable>,
  ): Promise<T | Unreachable> => {
    if (engine === undefined) throw new Error('a container was inspected before the engine was chosen');
    const asked = engine;
    const before = asked.answers;
    const answer = await within(outer, timeoutMs, (signal) => work(asked.docker, signal));
    if (!isUnreachable(answer)) noteAnswer(asked);
    // A single container that Docker cannot inspect is no engine that hangs.
    else if (answer.why.code === 'timeout' && outer?.aborted !== true && asked.answers === before) asked.hangs = true;
    return answer;
  };

  return {
    use: (address) => {
      if (isDeepStrictEqual(engine?.address, address)) return;
      engine?.docker.stop();
      engine = address && open(address);
    },
    inspect: (ref, timeoutMs, outer) => ask(timeoutMs, outer, (docker, signal) => docker.inspect(ref, signal)),
    findLog: async (ref, outer) => {
      const found = await ask(FIND_LOG_MS, outer, (docker, signal) => docker.inspectLog(ref, signal));
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
    isUp: () => (engine?.hangs === true ? false : engine?.up),
    stop: () => engine?.docker.stop(),
  };
}
