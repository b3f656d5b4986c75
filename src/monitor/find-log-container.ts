import { text } from 'node:stream/consumers';
import type { Rotation } from '../logs/create-reopening.ts';
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

/** The defaults of the `local` driver, which always rotates; `json-file` keeps one file where it is not told. */
const LOCAL: Rotation = { fileBytes: 20e6, files: 5 };

const UNITS: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, g: 1e9 };

/** How the engine rotates a log, as far as its driver lets it be read; undefined where it does not. */
export function readRotation(config: LogConfig | undefined): Rotation | undefined {
  const { Type, Config } = config ?? {};
  const [, digits, unit = ''] = /^(\d+)([kmg]?)b?$/i.exec(String(Config?.['max-size'] ?? '')) ?? [];
  const fileBytes = digits === undefined ? undefined : Number(digits) * (UNITS[unit.toLowerCase()] ?? 1);
  const files = /^[1-9]\d{0,5}$/.exec(String(Config?.['max-file'] ?? ''))?.[0];
  const given = { ...(fileBytes && { fileBytes }), ...(files !== undefined && { files: Number(files) }) };
  if (Type === 'local') return { ...LOCAL, ...given };
  return Type === 'json-file' && given.fileBytes !== undefined
    ? { fileBytes: given.fileBytes, files: given.files ?? 1 }
    : undefined;
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
  const rotation = readRotation(HostConfig?.LogConfig);
  return {
    id,
    running,
    ...(rotation !== undefined && { rotation }),
    tty: Config?.Tty === true,
    ...(startedAt !== undefined && { startedAt }),
    ...(level !== undefined && { level: Number(level) }),
    ...(port !== undefined && { p2p: `${typeof address === 'string' ? address : '0.0.0.0'}:${port}` }),
  };
}
