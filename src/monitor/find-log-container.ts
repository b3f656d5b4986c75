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

/** As Docker tells it. */
export interface LogConfig {
  readonly Type?: unknown;
  readonly Config?: Readonly<Record<string, unknown>> | null;
}

interface Inspection {
  readonly HostConfig?: { readonly LogConfig?: LogConfig };
  readonly Config?: { readonly Tty?: unknown; readonly Env?: unknown };
  readonly NetworkSettings?: { readonly Networks?: Readonly<Record<string, { readonly IPAddress?: unknown }>> | null };
}

const LOOK_MS = 10_000;

/** A busy node prints so many bytes in a millisecond. */
const BUSY_RATE = 5;
const MIN_REOPEN_MS = 10_000;
const MAX_REOPEN_MS = 300_000;

/** The default of the `local` driver, which always rotates. */
const LOCAL_BYTES = 20e6;

const UNITS: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, g: 1e9 };

/**
 * When a stream of a log that the engine rotates is opened again: about when a busy node has filled a file. Undefined without
 * rotation, where the engine would read the whole log each time.
 */
export function readReopenAfterMs(config: LogConfig | undefined): number | undefined {
  const [, digits, unit = ''] = /^(\d+)([kmg]?)b?$/i.exec(String(config?.Config?.['max-size'] ?? '')) ?? [];
  const bytes = digits === undefined ? undefined : Number(digits) * (UNITS[unit.toLowerCase()] ?? 1);
  const rotatesAt =
    config?.Type === 'local' ? (bytes ?? LOCAL_BYTES) : config?.Type === 'json-file' ? bytes : undefined;
  if (rotatesAt === undefined) return undefined;
  return Math.min(Math.max(rotatesAt / BUSY_RATE, MIN_REOPEN_MS), MAX_REOPEN_MS);
}

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
  const { Config, HostConfig, NetworkSettings } = JSON.parse(body) as Inspection;
  const level = /^[0-5]$/.exec(readEnv(Config?.Env, 'LOG_LEVEL') ?? '')?.[0];
  const port = /^\d{1,5}$/.exec(readEnv(Config?.Env, 'PORT') ?? '')?.[0];
  const address = Object.values(NetworkSettings?.Networks ?? {}).find(({ IPAddress }) => IPAddress)?.IPAddress;
  const reopenAfterMs = readReopenAfterMs(HostConfig?.LogConfig);
  return {
    id,
    running,
    ...(reopenAfterMs !== undefined && { reopenAfterMs }),
    tty: Config?.Tty === true,
    ...(startedAt !== undefined && { startedAt }),
    ...(level !== undefined && { level: Number(level) }),
    ...(port !== undefined && { p2p: `${typeof address === 'string' ? address : '0.0.0.0'}:${port}` }),
  };
}
