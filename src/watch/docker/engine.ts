import type { IncomingMessage } from 'node:http';
import type { OpenDockerApi } from '../../model/exposure.ts';
import type { ContainerObservation } from '../../model/observation.ts';
import type { ContainerRef, DockerAddress } from '../../model/target.ts';
import { createDockerClient, openAnswer, toResponse } from './client.ts';
import type { OpenLog } from './create-container-log-reader.ts';
import { type DockerEvent, followDockerEvents } from './events.ts';
import { createDockerExec, type DockerExec } from './exec.ts';
import {
  inspectContainer,
  inspectLog,
  inspectSetup,
  type LogInspection,
  listProject,
  type ProjectListing,
  type SetupInspection,
} from './inspect.ts';
import { createContainerMemory } from './memory.ts';
import { requestOpenApis } from './request-exposure.ts';

/** The API of one Docker Engine: GET requests only, except for commands that the inventory allows. */
export interface Docker {
  /** In the form of `DOCKER_HOST`. */
  readonly address: string;
  /** Inspects one container until the signal aborts. Never rejects. */
  inspect(ref: ContainerRef, signal: AbortSignal): Promise<ContainerObservation>;
  /** Inspects one container once, for its log, until the signal aborts. Never rejects. */
  inspectLog(ref: ContainerRef, signal: AbortSignal): Promise<LogInspection>;
  /** Inspects one container once, for how it was made, until the signal aborts. Never rejects. */
  inspectSetup(ref: ContainerRef, signal: AbortSignal): Promise<SetupInspection>;
  /** Lists the containers of a compose project, or of none, until the signal aborts. Never rejects. */
  listProject(project: string | undefined, signal: AbortSignal): Promise<ProjectListing>;
  /** Asks where the engine serves its API to anybody; undefined when it does not say. Never rejects. */
  listOpenApis(signal: AbortSignal): Promise<readonly OpenDockerApi[] | undefined>;
  /**
   * Reports events, and each change of whether the stream is open, until the returned function is called. Resumes where
   * it was after a restart of the engine.
   */
  follow(onEvent: (event: DockerEvent) => void, onState: (up: boolean) => void): () => void;
  /** Runs a command in a container; never rejects. */
  readonly exec: DockerExec;
  /** Opens the log of a container by its id. Rejects when there is none. */
  readonly openLog: OpenLog;
  /** Opens the last lines of a container's log, with timestamps. Rejects when there is none. */
  openTail(id: string, lines: number, signal: AbortSignal): Promise<IncomingMessage>;
  /** Ends all followers and connections. */
  stop(): void;
}

/** Opens nothing before the first request, so the engine may be down. */
export function createDocker(address: DockerAddress): Docker {
  const client = createDockerClient(address);
  const memory = createContainerMemory(client);
  const followers = new Set<() => void>();
  return {
    address: client.address,
    openLog: async (id, since, signal) => {
      const container = (await client.get()).getContainer(id);
      // The log of a stopped container ends anyway, and dockerode streams only with `follow`.
      const options = { follow: true as const, stdout: true, stderr: true, timestamps: true, since };
      return toResponse(await container.logs({ ...options, abortSignal: signal }));
    },
    openTail: (id, lines, signal) => {
      const options = { stdout: true, stderr: true, timestamps: true, tail: lines };
      return openAnswer(client, `/containers/${id}/logs?`, options, signal);
    },
    exec: createDockerExec(client),
    inspectLog: (ref, signal) => inspectLog(client, ref, signal),
    inspectSetup: (ref, signal) => inspectSetup(client, ref, signal),
    listProject: (project, signal) => listProject(client, project, signal),
    listOpenApis: (signal) => requestOpenApis(client, signal),
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
