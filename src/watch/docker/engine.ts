import type { IncomingMessage } from 'node:http';
import type { ContainerRef, DockerAddress } from '../../model/target.ts';
import { createDockerClient, openAnswer, toResponse } from './client.ts';
import { type DockerEvent, followDockerEvents } from './events.ts';
import { createDockerExec } from './exec.ts';
import { inspectContainer, inspectLog, inspectSetup, listProject } from './inspect.ts';
import { createContainerMemory } from './memory.ts';
import { requestOpenApis } from './request-exposure.ts';

/** The API of one Docker Engine: GET requests only, except for commands that the inventory allows. */
export type Docker = ReturnType<typeof createDocker>;

/** Opens nothing before the first request, so the engine may be down. Questions end when their signal aborts, and never reject. */
export function createDocker(address: DockerAddress) {
  const client = createDockerClient(address);
  const memory = createContainerMemory(client);
  const followers = new Set<() => void>();
  return {
    inspect: (ref: ContainerRef, signal: AbortSignal) => inspectContainer(client, memory, ref, signal),
    inspectLog: (ref: ContainerRef, signal: AbortSignal) => inspectLog(client, ref, signal),
    inspectSetup: (ref: ContainerRef, signal: AbortSignal) => inspectSetup(client, ref, signal),
    listProject: (project: string | undefined, signal: AbortSignal) => listProject(client, project, signal),
    listOpenApis: (signal: AbortSignal) => requestOpenApis(client, signal),
    exec: createDockerExec(client),
    /** Opens the log of a container by its id, with timestamps, from a time in Unix seconds. Rejects when there is none. */
    openLog: async (id: string, since: number, signal: AbortSignal): Promise<IncomingMessage> => {
      const container = (await client.get()).getContainer(id);
      // The log of a stopped container ends anyway, and dockerode streams only with `follow`.
      const options = { follow: true as const, stdout: true, stderr: true, timestamps: true, since };
      return toResponse(await container.logs({ ...options, abortSignal: signal }));
    },
    /** Opens the last lines of a container's log, with timestamps. Rejects when there is none. */
    openTail: (id: string, lines: number, signal: AbortSignal): Promise<IncomingMessage> => {
      const options = { stdout: true, stderr: true, timestamps: true, tail: lines };
      return openAnswer(client, `/containers/${id}/logs?`, options, signal);
    },
    /**
     * Reports events, and each change of whether the stream is open, until the returned function is called. Resumes where
     * it was after a restart of the engine.
     */
    follow: (onEvent: (event: DockerEvent) => void, onState: (up: boolean) => void): (() => void) => {
      const end = followDockerEvents(client, onEvent, onState);
      followers.add(end);
      return () => {
        followers.delete(end);
        end();
      };
    },
    /** Ends all followers and connections. */
    stop: () => {
      for (const end of followers) end();
      followers.clear();
      client.close();
    },
  };
}
