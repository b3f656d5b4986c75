import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../lib/values.ts';

/** Where subnetd looks for Docker by itself. */
export const DEFAULT_SOCKET = '/var/run/docker.sock';

/** Where the docker command of a user finds the engine, and by which setting it does. */
export interface DockerHost {
  readonly where: string;
  /** Undefined when it is not a socket of this machine. */
  readonly socketPath?: string;
}

function readJson(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const memberOf = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);

function toDockerHost(url: unknown, where: string): DockerHost | undefined {
  if (typeof url !== 'string' || url === '') return undefined;
  const [, socketPath] = /^unix:\/\/(\/.*)$/.exec(url) ?? [];
  if (socketPath === undefined) return { where };
  // The older path is a link to the newer one.
  return /^\/(?:var\/)?run\/docker\.sock$/.test(socketPath) ? undefined : { where, socketPath };
}

/**
 * The engine of the docker command by the environment of its user: DOCKER_HOST, else the context of DOCKER_CONTEXT or
 * of `~/.docker/config.json`. Undefined for the default socket.
 */
export function findDockerHost(environment: Readonly<Record<string, string | undefined>>): DockerHost | undefined {
  const { DOCKER_HOST, DOCKER_CONTEXT, DOCKER_CONFIG, HOME } = environment;
  if (DOCKER_HOST) return toDockerHost(DOCKER_HOST, 'DOCKER_HOST');
  const folder = DOCKER_CONFIG || (HOME ? join(HOME, '.docker') : undefined);
  if (folder === undefined) return undefined;
  const context = DOCKER_CONTEXT || readJson(join(folder, 'config.json')).currentContext;
  if (typeof context !== 'string' || context === '' || context === 'default') return undefined;
  const id = createHash('sha256').update(context).digest('hex');
  const meta = readJson(join(folder, 'contexts/meta', id, 'meta.json'));
  const host = memberOf(memberOf(meta.Endpoints, 'docker'), 'Host');
  return toDockerHost(host, `the Docker context ${JSON.stringify(context)}`);
}
