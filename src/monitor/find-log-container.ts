import { text } from 'node:stream/consumers';
import type { LogContainer } from '../logs/follow-container.ts';
import type { LogFault } from '../model/log.ts';
import type { ContainerRef } from '../model/target.ts';
import type { DockerLink } from './create-docker-link.ts';

/** A container whose log can be read, and what it was created with, as far as a node's log is judged by it. */
export interface FoundLogContainer extends LogContainer {
  /** `LOG_LEVEL`, 0 to 5. */
  readonly level?: number;
  /** `PORT` with the container's address on its network, as the bootnode sees it. */
  readonly p2p?: string;
}

interface Inspection {
  readonly Config?: { readonly Tty?: unknown; readonly Env?: unknown };
  readonly NetworkSettings?: { readonly Networks?: Readonly<Record<string, { readonly IPAddress?: unknown }>> | null };
}

const LOOK_MS = 10_000;

/** Of the environment no other line is looked at: the rest holds keys. */
function readEnv(env: unknown, name: string): string | undefined {
  const line = Array.isArray(env) ? env.find((entry) => String(entry).startsWith(`${name}=`)) : undefined;
  return line === undefined ? undefined : String(line).slice(name.length + 1);
}

/** Finds the container that stands for a target now, or says why there is none. Rejects when Docker breaks off. */
export async function findLogContainer(
  docker: DockerLink,
  ref: ContainerRef,
  signal: AbortSignal,
): Promise<FoundLogContainer | LogFault> {
  const found = await docker.look(ref, LOOK_MS, signal);
  if (found.kind !== 'found') return { what: found.kind === 'missing' ? 'no-container' : 'docker-unreachable' };
  const { id, running, startedAt } = found.container;
  const response = await docker.open(`/containers/${id}/json`, {}, signal);
  const body = (await text(response)) as string;
  if (response.statusCode !== 200) return { what: 'no-container' };
  const { Config, NetworkSettings } = JSON.parse(body) as Inspection;
  const level = /^[0-5]$/.exec(readEnv(Config?.Env, 'LOG_LEVEL') ?? '')?.[0];
  const port = /^\d{1,5}$/.exec(readEnv(Config?.Env, 'PORT') ?? '')?.[0];
  const address = Object.values(NetworkSettings?.Networks ?? {}).find(({ IPAddress }) => IPAddress)?.IPAddress;
  return {
    id,
    running,
    tty: Config?.Tty === true,
    ...(startedAt !== undefined && { startedAt }),
    ...(level !== undefined && { level: Number(level) }),
    ...(port !== undefined && { p2p: `${typeof address === 'string' ? address : '0.0.0.0'}:${port}` }),
  };
}
