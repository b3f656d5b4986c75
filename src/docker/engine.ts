import type { ContainerObservation } from '../model/observation.ts';
import type { ContainerRef, DockerAddress } from '../model/target.ts';
import { createDockerApi, type DockerApi } from './client.ts';
import type { DockerEvent } from './event.ts';
import { followDockerEvents } from './events.ts';
import { createDockerExec, type DockerExec } from './exec.ts';
import { inspectContainer, inspectLog, type LogInspection } from './inspect.ts';
import { createContainerMemory } from './memory.ts';

/** One Docker Engine, seen through its API: by GET alone, but for commands that the inventory allows. */
export interface Docker {
  /** As `DOCKER_HOST` writes it. */
  readonly address: string;
  /** Inspects one container; never rejects, and the abort of the signal bounds it in time. */
  inspect(ref: ContainerRef, signal: AbortSignal): Promise<ContainerObservation>;
  /** Inspects one container once, for its log; the same holds. */
  inspectLog(ref: ContainerRef, signal: AbortSignal): Promise<LogInspection>;
  /**
   * Reports events until the returned function is called, and whether the stream is open, whenever that changes.
   * Goes on across restarts of the engine, from where it was.
   */
  follow(onEvent: (event: DockerEvent) => void, onState: (up: boolean) => void): () => void;
  /** Runs a command in a container; never rejects. */
  readonly exec: DockerExec;
  /** A raw answer as a stream, such as a container's log; rejects when none comes. */
  readonly open: DockerApi['open'];
  /** Ends every follower and all connections. */
  stop(): void;
}

/** Prepares to reach an engine; nothing is opened before it is asked, so it may be down. */
export function createDocker(address: DockerAddress): Docker {
  const api = createDockerApi(address);
  const memory = createContainerMemory(api);
  const followers = new Set<() => void>();
  return {
    address: api.address,
    open: api.open,
    exec: createDockerExec(api),
    inspectLog: (ref, signal) => inspectLog(api, ref, signal),
    inspect: (ref, signal) => inspectContainer(api, memory, ref, signal),
    follow: (onEvent, onState) => {
      const end = followDockerEvents(api, onEvent, onState);
      followers.add(end);
      return () => {
        followers.delete(end);
        end();
      };
    },
    stop: () => {
      for (const end of followers) end();
      followers.clear();
      api.close();
    },
  };
}
