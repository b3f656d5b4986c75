import { createHash } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import type { ContainerEvent, Containers, SimulatedContainer } from './containers.ts';

/** Docker writes a time that never was as the year 1. */
const NEVER = '0001-01-01T00:00:00Z';
const toTime = (ms: number | undefined): string => (ms === undefined ? NEVER : new Date(ms).toISOString());

const labelsOf = ({ service, project }: SimulatedContainer): Readonly<Record<string, string>> => ({
  'com.docker.compose.project': project,
  'com.docker.compose.service': service,
  'com.docker.compose.oneoff': 'False',
});

const toListed = (container: SimulatedContainer) => ({
  Id: container.id,
  Names: [`/${container.name}`],
  Labels: labelsOf(container),
  State: container.status,
  Created: Math.floor(container.createdAt / 1000),
});

/** How compose makes them: with a log that is cut and not lost. */
const LOG_CONFIG = { Type: 'json-file', Config: { 'max-size': '20m', 'max-file': '5' } };
const toImageId = (image: string): string => `sha256:${createHash('sha256').update(image).digest('hex')}`;

const toInspected = (container: SimulatedContainer) => {
  const {
    id,
    name,
    status,
    createdAt,
    startedAt,
    finishedAt,
    exitCode,
    oomKilled,
    restartCount,
    env,
    image,
    args,
    ip,
  } = container;
  return {
    Id: id,
    Name: `/${name}`,
    Created: toTime(createdAt),
    RestartCount: restartCount,
    State: {
      Status: status,
      Running: status !== 'exited',
      OOMKilled: oomKilled,
      ExitCode: status === 'running' ? 0 : exitCode,
      StartedAt: toTime(startedAt),
      FinishedAt: toTime(finishedAt),
    },
    Image: toImageId(image),
    Args: args,
    HostConfig: {
      Memory: container.memoryLimitBytes,
      RestartPolicy: { Name: 'always' },
      LogConfig: LOG_CONFIG,
      PortBindings: {},
    },
    Config: { Tty: false, Env: env, Labels: labelsOf(container), Image: image },
    // The address is given back when the container ends.
    NetworkSettings: {
      Networks: { [`${container.project}_docker_net`]: { IPAddress: status === 'running' ? ip : '' } },
    },
  };
};

/** A sixteenth of the limit is in use, with some page cache on top. */
const toStats = ({ memoryLimitBytes }: SimulatedContainer) => ({
  memory_stats: {
    usage: Math.floor(memoryLimitBytes / 8),
    limit: memoryLimitBytes,
    stats: { inactive_file: Math.floor(memoryLimitBytes / 16) },
  },
});

const toEventLine = ({ action, container, at }: ContainerEvent): string =>
  `${JSON.stringify({
    Type: 'container',
    Action: action,
    Actor: {
      ID: container.id,
      Attributes: {
        ...labelsOf(container),
        name: container.name,
        ...(action === 'die' && { exitCode: String(container.exitCode) }),
      },
    },
    time: Math.floor(at / 1000),
    timeNano: at * 1_000_000,
  })}\n`;

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** How soon a stream breaks off that is refused from now on. */
const REFUSED_WITHIN_MS = 250;

const isSet = (query: URLSearchParams, name: string): boolean => ['1', 'true'].includes(query.get(name) ?? '');

/** Ends after what there is; with `follow`, when the container stops or the one who asked leaves. */
function streamLog(
  response: ServerResponse,
  containers: Containers,
  { service, log }: SimulatedContainer,
  query: URLSearchParams,
  isRefused: (service: string) => boolean,
) {
  if (isRefused(service)) return sendJson(response, 403, { message: 'the socket proxy refuses this' });
  response.writeHead(200, { 'content-type': 'application/vnd.docker.multiplexed-stream' });
  response.flushHeaders();
  const frames = log.read(Number(query.get('since') ?? 0) * 1000);
  const tail = Number(query.get('tail') ?? 'all');
  for (const frame of Number.isInteger(tail) ? frames.slice(Math.max(0, frames.length - tail)) : frames)
    response.write(frame);
  if (!isSet(query, 'follow') || containers.get(service).status !== 'running') {
    response.end();
    return;
  }
  const leave = log.follow((frame) => response.write(frame));
  const ignore = containers.follow(({ action, container }) => {
    if (action === 'die' && container.service === service) response.end();
  });
  const look = setInterval(() => isRefused(service) && response.destroy(), REFUSED_WITHIN_MS);
  response.on('close', () => {
    clearInterval(look);
    leave();
    ignore();
  });
}

function streamEvents(response: ServerResponse, containers: Containers, since: string | null) {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  if (since !== null) for (const event of containers.events(Number(since) * 1000)) response.write(toEventLine(event));
  response.on(
    'close',
    containers.follow((event) => response.write(toEventLine(event))),
  );
}

function findListed(containers: Containers, filters: string | null): readonly SimulatedContainer[] {
  const { label = [] } = JSON.parse(filters ?? '{}') as { readonly label?: readonly string[] };
  return containers.all().filter((container) => {
    const labels = Object.entries(labelsOf(container)).map(([key, value]) => `${key}=${value}`);
    return label.every((wanted) => labels.includes(wanted));
  });
}

/** What somebody can do with a simulated engine, beside reading. */
export interface EngineControls {
  /** Whether the log of a service is refused. */
  readonly isRefused: (service: string) => boolean;
  /** Restarts a container; resolves once it runs again, or to why it cannot. */
  readonly restart: (service: string) => Promise<string | undefined>;
}

const refuseToChange = (response: ServerResponse): void =>
  sendJson(response, 403, { message: 'the simulated engine only reads and restarts' });

/** As `docker restart` asks for it. */
async function restartContainer(response: ServerResponse, service: string, restart: EngineControls['restart']) {
  const error = await restart(service);
  if (error === undefined) response.writeHead(204).end();
  else sendJson(response, 500, { message: error });
}

/**
 * A Docker Engine as far as a monitor asks one: lists, inspections, statistics, logs and events of the simulated containers; it
 * refuses some logs. All it changes is that it restarts a container. Shapes from the Docker Engine API, version 1.41.
 */
export const createEngineHandler =
  (containers: Containers, { isRefused, restart }: EngineControls): RequestListener =>
  (request, response) => {
    request.resume();
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://docker');
    const [, what = '', handle = '', part = ''] = pathname.replace(/^\/v[\d.]+/, '').split('/');
    const isRestart = request.method === 'POST' && what === 'containers' && part === 'restart';
    if (request.method !== 'GET' && !isRestart) return refuseToChange(response);
    if (what === 'events') return streamEvents(response, containers, searchParams.get('since'));
    if (what === 'info') return sendJson(response, 200, { SystemTime: new Date().toISOString(), Warnings: null });
    if (what !== 'containers') return sendJson(response, 404, { message: 'page not found' });
    if (handle === 'json')
      return sendJson(response, 200, findListed(containers, searchParams.get('filters')).map(toListed));
    const container = containers.all().find(({ id, name }) => id === handle || name === handle);
    if (container === undefined) return sendJson(response, 404, { message: `No such container: ${handle}` });
    if (isRestart) return void restartContainer(response, container.service, restart);
    if (part === 'json') return sendJson(response, 200, toInspected(container));
    if (part === 'stats') return sendJson(response, 200, toStats(container));
    if (part === 'logs') return streamLog(response, containers, container, searchParams, isRefused);
    return sendJson(response, 404, { message: 'page not found' });
  };
