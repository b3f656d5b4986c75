import type { ContainerObservation } from '../model/observation.ts';
import type { ContainerRef, DockerAddress } from '../model/target.ts';
import { createDockerClient, toResponse } from './client.ts';
import type { DockerEvent } from './event.ts';
import { followDockerEvents } from './events.ts';
import { createDockerExec, type DockerExec } from './exec.ts';
import type { OpenLog } from './follow-log.ts';
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
  /** The log of a container, by its id; rejects when none comes. */
  readonly openLog: OpenLog;
  /** Ends every follower and all connections. */
  stop(): void;
}

/** Prepares to reach an engine; nothing is opened before it is asked, so it may be down. */
export function createDocker(address: DockerAddress): Docker {
  const client = createDockerClient(address);
  const memory = createContainerMemory(client);
  const followers = new Set<() => void>();
  return {
    address: client.address,
    openLog: async (id, since, signal) => {
      const container = (await client.get()).getContainer(id);
      // The log of a container that does not run ends all the same, and dockerode streams no other.
      const options = { follow: true as const, stdout: true, stderr: true, timestamps: true, since };
      return toResponse(await container.logs({ ...options, abortSignal: signal }));
    },
    exec: createDockerExec(client),
    inspectLog: (ref, signal) => inspectLog(client, ref, signal),
    inspect: (ref, signal) => inspectContainer(client, memory, ref, signal),
    follow: (onEvent, onState) => {
      const end = followDockerEvents(client, onEvent, onState);
      followers.add(end);
      return () => {
        followers.delete(end);
        end();
      };
    },
    stop: () => {
      for (const end of followers) end();
      followers.clear();
      client.close();
    },
  };
}
