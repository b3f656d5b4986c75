import { isDeepStrictEqual } from 'node:util';
import type { ContainerObservation } from '../model/observation.ts';
import type { ContainerRef, DockerAddress } from '../model/target.ts';
import { createDocker, type Docker } from '../probes/docker.ts';
import type { DockerEvent } from '../probes/docker-event.ts';
import type { ExecOutcome } from '../probes/docker-exec.ts';
import { within } from '../probes/within.ts';

/** The Docker Engine as the monitor uses it: opened only when a target names a container. */
export interface DockerLink {
  /** Opens the engine at this address, instead of one at another; undefined: no target needs it. */
  use(address: DockerAddress | undefined): void;
  /** Never rejects; bounded by `timeoutMs` and the signal. */
  look(ref: ContainerRef, timeoutMs: number, signal?: AbortSignal): Promise<ContainerObservation>;
  /** Runs a command in the container; never rejects, and is bounded by `timeoutMs` and the signal. */
  exec(ref: ContainerRef, command: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<ExecOutcome>;
  /** A GET request, its answer as a stream, such as a container's log; rejects when none comes. */
  readonly open: Docker['open'];
  /** Does its stream of events stand, and does it answer? Undefined while nobody needs it, or it has not been asked yet. */
  isUp(): boolean | undefined;
  stop(): void;
}

interface Engine {
  readonly address: DockerAddress;
  readonly docker: Docker;
  up?: boolean;
  /** How often it has answered or told of something; one that hangs keeps the stream of events open. */
  signs: number;
  hangs: boolean;
}

/** A link that tells of every event of the engine. */
export function createDockerLink(onEvent: (event: DockerEvent) => void): DockerLink {
  let engine: Engine | undefined;

  const giveSign = (of: Engine) => {
    of.signs += 1;
    of.hangs = false;
  };

  const open = (address: DockerAddress): Engine => {
    const opened: Engine = { address, docker: createDocker(address), signs: 0, hangs: false };
    opened.docker.follow(
      (event) => {
        giveSign(opened);
        onEvent(event);
      },
      (up) => {
        giveSign(opened);
        opened.up = up;
      },
    );
    return opened;
  };

  return {
    use: (address) => {
      if (isDeepStrictEqual(engine?.address, address)) return;
      engine?.docker.stop();
      engine = address && open(address);
    },
    look: async (ref, timeoutMs, outer) => {
      if (engine === undefined) throw new Error('a container was looked at before the engine was chosen');
      const asked = engine;
      const before = asked.signs;
      const seen = await within(outer, timeoutMs, (signal) => asked.docker.look(ref, signal));
      if (seen.kind !== 'docker-unreachable') giveSign(asked);
      // A single container that Docker cannot look at is no engine that hangs.
      else if (seen.why.code === 'timeout' && outer?.aborted !== true && asked.signs === before) asked.hangs = true;
      return seen;
    },
    exec: async (ref, command, timeoutMs, outer) => {
      if (engine === undefined) return { ok: false, why: 'docker' };
      const { docker } = engine;
      return within(outer, timeoutMs, async (signal): Promise<ExecOutcome> => {
        const found = await docker.look(ref, signal);
        if (found.kind === 'docker-unreachable') return { ok: false, why: 'docker' };
        if (found.kind === 'missing') return { ok: false, why: 'no-container' };
        return found.container.running
          ? docker.exec(found.container.id, command, signal)
          : { ok: false, why: 'not-running' };
      });
    },
    open: async (path, query, signal) => {
      if (engine === undefined) throw new Error('no engine is chosen');
      return engine.docker.open(path, query, signal);
    },
    isUp: () => (engine?.hangs === true ? false : engine?.up),
    stop: () => engine?.docker.stop(),
  };
}
