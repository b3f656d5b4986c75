import type { Container, ContainerObservation, DockerFault } from '../model/observation.ts';
import type { ContainerRef } from '../model/target.ts';
import type { DockerClient } from './client.ts';
import { isOneOff } from './event.ts';
import { type LogContainer, toLogContainer } from './log-container.ts';
import { toCount, toMembers } from './members.ts';
import type { ContainerMemory } from './memory.ts';
import { toRefusal } from './transport.ts';

/** One that its restart policy starts again and again is both in turn, and must not lose its place each time. */
const alive = ['running', 'restarting'];

/** Docker writes a time that never was as the year 1. */
function toTime(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return time > 0 ? time : undefined;
}

/** The container of a `GET /containers/ID/json`, without what only the statistics hold; undefined when it is none. */
function toContainer(body: unknown): Container | undefined {
  const { Id: id, Name: path, State, RestartCount, HostConfig } = toMembers(body) ?? {};
  const state = toMembers(State);
  const name = typeof path === 'string' ? path.replace(/^\//, '') : '';
  if (typeof id !== 'string' || !/^\w{1,128}$/.test(id) || !/^[\w.-]{1,255}$/.test(name)) return undefined;
  const status = state?.Status;
  if (state === undefined || typeof status !== 'string' || !/^[a-z]{1,32}$/.test(status)) return undefined;

  const startedAt = toTime(state.StartedAt);
  const finishedAt = toTime(state.FinishedAt);
  const limit = toCount(toMembers(HostConfig)?.Memory);
  // While it runs, and before it ever did, the exit code is a zero that no process has returned.
  const lives = status === 'running' || status === 'paused';
  const exitCode = lives || (status === 'created' && state.ExitCode === 0) ? undefined : toCount(state.ExitCode);
  return {
    id,
    name,
    status,
    running: status === 'running',
    oomKilled: state.OOMKilled === true,
    restartCount: toCount(RestartCount) ?? 0,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(limit === undefined || limit === 0 ? {} : { memoryLimitBytes: limit }),
  };
}

/** An entry of `GET /containers/json`. */
type Entry = Readonly<Record<string, unknown>>;

/** How much an entry is alive, the least first. */
const rank = ({ State }: Entry): number => (alive.includes(String(State)) ? 0 : State === 'paused' ? 1 : 2);

/**
 * The container that stands for a compose service, whatever order Docker lists them in: one that is alive, then the newest, then
 * by its id. `twins` is how many are alive, when they are several. A one-off of `docker compose run` never stands for it.
 */
async function findService(client: DockerClient, project: string, service: string, signal: AbortSignal) {
  const label = [`com.docker.compose.project=${project}`, `com.docker.compose.service=${service}`];
  const docker = await client.get();
  const body: unknown = await docker.listContainers({ all: true, filters: { label }, abortSignal: signal });
  if (!Array.isArray(body)) throw new Error('this is no list of containers');
  const entries = body
    .map((entry): Entry => toMembers(entry) ?? {})
    .filter(({ Id, Labels }) => typeof Id === 'string' && !isOneOff(toMembers(Labels)))
    .sort(
      (a, b) =>
        // Docker lists whole seconds, in which compose starts several at once.
        rank(a) - rank(b) ||
        (toCount(b.Created) ?? 0) - (toCount(a.Created) ?? 0) ||
        (String(a.Id) < String(b.Id) ? -1 : 1),
    );
  const twins = entries.filter((entry) => rank(entry) === 0).length;
  return { handle: entries[0]?.Id as string | undefined, ...(twins > 1 && { twins }) };
}

/** A container as the engine knows it: what checks judge, and what it was created with, which may hold keys. */
type Found =
  | { readonly kind: 'missing' }
  | { readonly kind: 'found'; readonly container: Container; readonly twins?: number; readonly body: unknown };

/** The answer of `GET /containers/ID/json`; undefined when the engine, not a proxy before it, has no such container. */
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

async function find(client: DockerClient, ref: ContainerRef, signal: AbortSignal, again = true): Promise<Found> {
  const { handle, ...twins } =
    'name' in ref ? { handle: ref.name } : await findService(client, ref.project, ref.service, signal);
  if (handle === undefined) return { kind: 'missing' };
  const body = await inspectById(client, handle, signal);
  if (body === undefined) return again && !('name' in ref) ? find(client, ref, signal, false) : { kind: 'missing' };
  const container = toContainer(body);
  if (container === undefined) throw new Error('this is no container');
  // Docker takes the beginning of an id for a name too.
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
  // Much may have happened while the memory was read, and the state must not be older than what events have reported.
  if (waited && !signal.aborted) return inspect(client, memory, ref, signal);
  return bytes === undefined ? found : { ...found, container: { ...found.container, memoryBytes: bytes } };
}

function toCode(error: unknown, signal: AbortSignal): DockerFault['code'] {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (signal.aborted || code === 'ETIMEDOUT') return 'timeout';
  if (code === 'EMFILE' || code === 'ENFILE') return 'no-descriptor';
  // A certificate that is not there is ENOENT too.
  if (syscall !== 'connect') return 'other';
  return code === 'ENOENT' || code === 'EACCES' || code === 'ECONNREFUSED' ? code : 'other';
}

const toUnreachable = (client: DockerClient, error: unknown, signal: AbortSignal) =>
  ({ kind: 'docker-unreachable', why: { address: client.address, code: toCode(error, signal) } }) as const;

/**
 * Finds a container, inspects it, and reads its memory while it runs; the abort of the signal bounds the whole in time.
 * Never rejects: an engine that cannot be asked, or answers what no engine answers, is an observation. Shapes from the
 * Docker Engine API, version 1.41 and later.
 */
export async function inspectContainer(
  client: DockerClient,
  memory: ContainerMemory,
  ref: ContainerRef,
  signal: AbortSignal,
): Promise<ContainerObservation> {
  try {
    return await inspect(client, memory, ref, signal);
  } catch (error) {
    return toUnreachable(client, error, signal);
  }
}

/** What one inspection says about the log of a container. */
export type LogInspection =
  | { readonly kind: 'found'; readonly log: LogContainer }
  | Exclude<ContainerObservation, { kind: 'found' }>;

/** Finds a container by one inspection, for its log; never rejects. */
export async function inspectLog(client: DockerClient, ref: ContainerRef, signal: AbortSignal): Promise<LogInspection> {
  try {
    const found = await find(client, ref, signal);
    return found.kind === 'missing' ? found : { kind: 'found', log: toLogContainer(found.container, found.body) };
  } catch (error) {
    return toUnreachable(client, error, signal);
  }
}
