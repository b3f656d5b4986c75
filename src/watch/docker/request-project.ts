import { readBounded } from '../../lib/bytes.ts';
import type { Endpoint } from '../../model/exposure.ts';
import type { ListedContainer } from '../../model/setup.ts';
import { type DockerClient, openAnswer } from './client.ts';
import { isOneOff } from './events.ts';
import { toMembers } from './memory.ts';
import { toPlainEndpoint } from './request-exposure.ts';

/** As much as thousands of containers with many labels. */
const MAX_BYTES = 32 * 1024 * 1024;

const isWord = (value: unknown): value is string => typeof value === 'string' && /^[\w.-]{1,255}$/.test(value);

/** Parses an entry of `GET /containers/json`; undefined for a one-off of `docker compose run`, or for none. */
function toListed(entry: unknown): ListedContainer | undefined {
  const { Names, Labels, State, Status, Created } = toMembers(entry) ?? {};
  const labels = toMembers(Labels);
  const name = Array.isArray(Names) ? String(Names[0] ?? '').replace(/^\//, '') : '';
  const service = labels?.['com.docker.compose.service'];
  if (!isWord(name) || !isWord(service) || !isWord(State) || isOneOff(labels)) return undefined;
  const code = /^Exited \((\d{1,3})\)/.exec(String(Status))?.[1];
  const ignore = String(labels?.['subnetd.ignore'] ?? 'false').toLowerCase();
  return {
    name,
    service,
    status: State,
    isIgnored: ignore !== 'false',
    ...(typeof Created === 'number' && { createdAt: Created * 1_000 }),
    ...(code !== undefined && { exitCode: Number(code) }),
  };
}

/**
 * Gets the containers of a compose project, or without one a short list whose content does not matter. `engineMs` is the time
 * of the answer by the engine's clock, which HTTP cuts to a second: half of one is added.
 */
export async function requestProject(
  client: DockerClient,
  project: string | undefined,
  signal: AbortSignal,
): Promise<{
  readonly containers: readonly ListedContainer[];
  readonly engineMs?: number;
  readonly plainAt?: Endpoint;
}> {
  const filters = { label: [`com.docker.compose.project=${project}`] };
  const options = project === undefined ? { limit: 1 } : { all: true, filters };
  const response = await openAnswer(client, '/containers/json?', options, signal);
  const plainAt = toPlainEndpoint(response);
  const bytes = await readBounded(response, MAX_BYTES);
  const body: unknown = bytes && JSON.parse(bytes.toString());
  if (!Array.isArray(body)) throw new Error('not a list of containers');
  const at = Date.parse(response.headers.date ?? '');
  return {
    containers: body.map(toListed).filter((one) => one !== undefined),
    ...(at > 0 && { engineMs: at + 500 }),
    ...(plainAt && { plainAt }),
  };
}
