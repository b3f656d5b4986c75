import { type Container, type ContainerObservation, type DockerFault, sshFaults } from '../../model/observation.ts';
import type { ContainerSetup } from '../../model/setup.ts';
import type { ContainerRef } from '../../model/target.ts';
import type { DockerClient } from './client.ts';
import { toContainerSetup } from './container-setup.ts';
import { isOneOff } from './events.ts';
import { toLogContainer } from './log-container.ts';
import { type ContainerMemory, toCount, toMembers } from './memory.ts';
import { requestProject } from './request-project.ts';
import { toRefusal } from './transport.ts';

/**
 * `restarting` counts too: a container that its restart policy keeps restarting alternates between both, and stays the
 * chosen one.
 */
const alive = ['running', 'restarting'];

/** Docker writes a time that is not set as the year 1. */
function toTime(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return time > 0 ? time : undefined;
}

/** What Docker and Podman call networks that are none of Docker's own. */
const OTHER_MODES = /^(?:host|none|private|pasta|slirp4netns)$/;

/** The network that a container was made for, if it is connected to none now. A container that shares the network of another has none by design. */
function toLostNetwork(mode: unknown, networks: unknown): string | undefined {
  const connected = toMembers(networks);
  if (connected === undefined || Object.keys(connected).length > 0) return undefined;
  if (typeof mode !== 'string' || !/^[\w.-]{1,128}$/.test(mode) || OTHER_MODES.test(mode)) return undefined;
  return mode === 'default' ? 'bridge' : mode;
}

/** Parses `GET /containers/ID/json`, which has no statistics. Undefined when it is not a container. */
function toContainer(body: unknown): Container | undefined {
  const {
    Id: id,
    Name: path,
    Created,
    State,
    RestartCount,
    HostConfig,
    Config,
    NetworkSettings,
  } = toMembers(body) ?? {};
  const state = toMembers(State);
  const name = typeof path === 'string' ? path.replace(/^\//, '') : '';
  if (typeof id !== 'string' || !/^\w{1,128}$/.test(id) || !/^[\w.-]{1,255}$/.test(name)) return undefined;
  // Podman 4 says `stopped` of what has exited.
  const status = state?.Status === 'stopped' ? 'exited' : state?.Status;
  if (state === undefined || typeof status !== 'string' || !/^[a-z]{1,32}$/.test(status)) return undefined;

  const createdAt = toTime(Created);
  const startedAt = toTime(state.StartedAt);
  const finishedAt = toTime(state.FinishedAt);
  const limit = toCount(toMembers(HostConfig)?.Memory);
  const image = toMembers(Config)?.Image;
  const lostNetwork = toLostNetwork(toMembers(HostConfig)?.NetworkMode, toMembers(NetworkSettings)?.Networks);
  // While a container runs, and before its first start, the exit code is a meaningless zero.
  const isAlive = status === 'running' || status === 'paused';
  const exitCode = isAlive || (status === 'created' && state.ExitCode === 0) ? undefined : toCount(state.ExitCode);
  return {
    id,
    name,
    status,
    running: status === 'running',
    oomKilled: state.OOMKilled === true,
    restartCount: toCount(RestartCount) ?? 0,
    ...(toMembers(state.Health)?.Status === 'unhealthy' && { isUnhealthy: true }),
    ...(lostNetwork !== undefined && { lostNetwork }),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(limit === undefined || limit === 0 ? {} : { memoryLimitBytes: limit }),
    ...(typeof image === 'string' && /^[\w./:@-]{1,255}$/.test(image) ? { image } : {}),
  };
}

/** An entry of `GET /containers/json`. */
type Entry = Readonly<Record<string, unknown>>;

/** Sorts by state: running first, then paused, then the rest. */
const rank = ({ State }: Entry): number => (alive.includes(String(State)) ? 0 : State === 'paused' ? 1 : 2);

/**
 * Chooses the container of a compose service, in whatever order Docker lists them: running first, then the newest, then
 * by id. `twins` is the number of running ones, when there are several. One-offs of `docker compose run` are ignored.
 */
async function findService(client: DockerClient, project: string, service: string, signal: AbortSignal) {
  const label = [`com.docker.compose.project=${project}`, `com.docker.compose.service=${service}`];
  const docker = await client.get();
  const body: unknown = await docker.listContainers({ all: true, filters: { label }, abortSignal: signal });
  if (!Array.isArray(body)) throw new Error('not a list of containers');
  const entries = body
    .map((entry): Entry => toMembers(entry) ?? {})
    .filter(({ Id, Labels }) => typeof Id === 'string' && !isOneOff(toMembers(Labels)))
    .sort(
      (a, b) =>
        // Docker's creation times are whole seconds, and compose starts several containers in one.
        rank(a) - rank(b) ||
        (toCount(b.Created) ?? 0) - (toCount(a.Created) ?? 0) ||
        (String(a.Id) < String(b.Id) ? -1 : 1),
    );
  const twins = entries.filter((entry) => rank(entry) === 0).length;
  return { handle: entries[0]?.Id as string | undefined, ...(twins > 1 && { twins }) };
}

/** A container as checks judge it, and the full inspection, which may hold keys. */
type Found =
  | { readonly kind: 'missing' }
  | { readonly kind: 'found'; readonly container: Container; readonly twins?: number; readonly body: unknown };

/**
 * Gets `GET /containers/ID/json`. Undefined when the engine itself, not a proxy, says that there is no such container.
 */
async function inspectById(client: DockerClient, handle: string, signal: AbortSignal): Promise<unknown> {
  const docker = await client.get();
  try {
    return await docker.getContainer(encodeURIComponent(handle)).inspect({ abortSignal: signal });
  } catch (error) {
    const refusal = toRefusal(error);
    if (refusal?.statusCode === 404 && typeof toMembers(refusal.json)?.message === 'string') return undefined;
    throw error;
  }
}

async function find(client: DockerClient, ref: ContainerRef, signal: AbortSignal, retry = true): Promise<Found> {
  const { handle, ...twins } =
    'name' in ref ? { handle: ref.name } : await findService(client, ref.project, ref.service, signal);
  if (handle === undefined) return { kind: 'missing' };
  const body = await inspectById(client, handle, signal);
  if (body === undefined) return retry && !('name' in ref) ? find(client, ref, signal, false) : { kind: 'missing' };
  const container = toContainer(body);
  if (container === undefined) throw new Error('not a container');
  // Docker also accepts the prefix of an id as a name.
  if ('name' in ref && container.name !== ref.name) return { kind: 'missing' };
  return { kind: 'found', container, body, ...twins };
}

async function inspect(
  client: DockerClient,
  memory: ContainerMemory,
  ref: ContainerRef,
  signal: AbortSignal,
): Promise<ContainerObservation> {
  const answer = await find(client, ref, signal);
  if (answer.kind === 'missing') return answer;
  const { body: _, ...found } = answer;
  if (!found.container.running) return found;
  const { bytes, waited } = await memory.read(found.container.id, found.container.startedAt, signal);
  // Reading the memory takes time, and the state must not be older than what events have reported.
  if (waited && !signal.aborted) return inspect(client, memory, ref, signal);
  return bytes === undefined ? found : { ...found, container: { ...found.container, memoryBytes: bytes } };
}

function toCode(error: unknown, signal: AbortSignal): DockerFault['code'] {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (signal.aborted || code === 'ETIMEDOUT') return 'timeout';
  if (code === 'EMFILE' || code === 'ENFILE') return 'no-descriptor';
  const ofSsh = sshFaults.find((fault) => fault === code);
  if (ofSsh !== undefined) return ofSsh;
  // A missing certificate is ENOENT too.
  if (syscall !== 'connect') return 'other';
  return code === 'ENOENT' || code === 'EACCES' || code === 'ECONNREFUSED' ? code : 'other';
}

type Unreachable = Extract<ContainerObservation, { kind: 'docker-unreachable' }>;

/**
 * Asks the engine until the signal aborts. Never rejects: an engine that is unreachable or answers nonsense is an
 * observation. Shapes: Docker Engine API 1.41 and later.
 */
async function ask<T>(client: DockerClient, signal: AbortSignal, work: () => Promise<T>): Promise<T | Unreachable> {
  try {
    return await work();
  } catch (error) {
    return { kind: 'docker-unreachable', why: { address: client.address, code: toCode(error, signal) } };
  }
}

/** Finds a container, inspects it, and reads its memory while it runs. */
export const inspectContainer = (
  client: DockerClient,
  memory: ContainerMemory,
  ref: ContainerRef,
  signal: AbortSignal,
): Promise<ContainerObservation> => ask(client, signal, () => inspect(client, memory, ref, signal));

/** Finds a container by one inspection, for its log. */
export const inspectLog = (client: DockerClient, ref: ContainerRef, signal: AbortSignal) =>
  ask(client, signal, async () => {
    const found = await find(client, ref, signal);
    if (found.kind === 'missing') return found;
    return { kind: 'found' as const, log: toLogContainer(found.container, found.body) };
  });

/** How a container was made, or why that is not known. */
export type SetupInspection =
  | { readonly kind: 'found'; readonly setup: ContainerSetup }
  | Exclude<ContainerObservation, { kind: 'found' }>;

/** Finds a container by one inspection, for how it was made. */
export const inspectSetup = (client: DockerClient, ref: ContainerRef, signal: AbortSignal): Promise<SetupInspection> =>
  ask(client, signal, async () => {
    const found = await find(client, ref, signal);
    if (found.kind === 'missing') return found;
    return {
      kind: 'found' as const,
      setup: toContainerSetup(found.container, found.body, client.address.startsWith('unix:')),
    };
  });

/** Lists the containers of a compose project, or of none: then only the time of the answer counts. */
export const listProject = (client: DockerClient, project: string | undefined, signal: AbortSignal) =>
  ask(client, signal, async () => ({ kind: 'listed' as const, ...(await requestProject(client, project, signal)) }));
