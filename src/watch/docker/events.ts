import { setTimeout as sleep } from 'node:timers/promises';
import { type DockerClient, openInTime, toResponse } from './client.ts';

/** The container events that can change a verdict; see "Docker events" in the Docker Engine API. */
const containerActions = [
  ...['start', 'die', 'oom', 'stop', 'kill', 'restart', 'pause', 'unpause', 'rename', 'destroy'],
] as const;

/** An event of a container. */
export interface DockerEvent {
  /** One of `containerActions`. */
  readonly action: string;
  readonly id: string;
  readonly name: string;
  /** The previous name, for a `rename`. */
  readonly oldName?: string;
  /** The compose project and service. Both are absent for a one-off container, which is not the service. */
  readonly project?: string;
  readonly service?: string;
  /** For a `die`. */
  readonly exitCode?: number;
  /** By the engine's clock, in Unix milliseconds. */
  readonly at: number;
}

/** Is it a one-off of `docker compose run`? Such a container carries the labels of a service without being it. */
export const isOneOff = (labels: Readonly<Record<string, unknown>> | undefined): boolean =>
  String(labels?.['com.docker.compose.oneoff']).toLowerCase() === 'true';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

interface Message {
  readonly Action?: unknown;
  readonly Actor?: { readonly ID?: unknown; readonly Attributes?: Readonly<Record<string, unknown>> | null } | null;
  readonly timeNano?: unknown;
}

/**
 * Parses one line of `GET /events`. Undefined when it is another kind of event or incomplete. Throws a SyntaxError when
 * it is no JSON.
 */
export function parseDockerEvent(line: string): DockerEvent | undefined {
  const message = JSON.parse(line) as Message | null;
  const action = containerActions.find((known) => known === message?.Action);
  const id = text(message?.Actor?.ID);
  const at = Math.floor(Number(message?.timeNano) / 1e6);
  if (action === undefined || id === undefined || !Number.isSafeInteger(at) || at <= 0) return undefined;

  // The attributes are the container's labels, overlaid with Docker's own.
  const attributes = message?.Actor?.Attributes ?? {};
  const isService = !isOneOff(attributes);
  const members = {
    oldName: action === 'rename' ? text(attributes.oldName)?.replace(/^\//, '') : undefined,
    project: isService ? text(attributes['com.docker.compose.project']) : undefined,
    service: isService ? text(attributes['com.docker.compose.service']) : undefined,
    exitCode: action === 'die' ? Number.parseInt(text(attributes.exitCode) ?? '', 10) : undefined,
  };
  const given = Object.entries(members).filter(
    ([, value]) => value !== undefined && (typeof value === 'string' || Number.isSafeInteger(value)),
  );
  return { action, id, name: text(attributes.name) ?? '', at, ...Object.fromEntries(given) };
}

const shortestPauseMs = 250;
const longestPauseMs = 5_000;
const openTimeoutMs = 5_000;
const maxLineLength = 1024 * 1024;

/**
 * The engine stamps an event before it queues it, so events may arrive out of order. A reopened stream therefore
 * requests a little more than is missing, and these keys filter the duplicates. The engine replays at most the last 256
 * events (moby, `eventsLimit`).
 */
const overlapMs = 1_000;
const maxKeys = 512;

/** The position in the stream of events. */
function createPosition() {
  const seen = new Set<string>();
  let since: number | undefined;
  let first = 0;
  return {
    /** The next query: no `since` at first, because only later events matter. */
    query: (): { readonly since?: number } => (since === undefined ? {} : { since: since / 1_000 }),
    /** `engineTime`: Unix milliseconds, from the first response. */
    startAt(engineTime: number): void {
      if (since !== undefined) return;
      since = engineTime;
      first = engineTime;
    },
    /** Records an event. False for a duplicate. */
    add({ at, action, id }: DockerEvent, line: string): boolean {
      const key = /"timeNano":\s*(\d+)/.exec(line)?.[1] + action + id;
      if (seen.has(key)) return false;
      seen.add(key);
      for (const oldest of seen) {
        if (seen.size <= maxKeys) break;
        seen.delete(oldest);
      }
      since = Math.max(at - overlapMs, Math.min(first, at));
      return true;
    },
  };
}

async function* readLines(stream: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLineLength) throw new Error('not a stream of events');
    yield* lines.filter((line) => line.trim() !== '');
  }
}

/**
 * Follows the engine's container events until the returned function is called. Neither callback may throw. A stream
 * that ends is reopened after 0.25 s to 5 s where it ended. No event is lost or reported twice as long as the engine
 * still has it. `onState` is called when the state changes.
 */
export function followDockerEvents(
  client: DockerClient,
  onEvent: (event: DockerEvent) => void,
  onState: (up: boolean) => void,
): () => void {
  const ending = new AbortController();
  const position = createPosition();
  const filters = { type: ['container' as const], event: [...containerActions] };
  let up: boolean | undefined;

  const reportState = (state: boolean): void => {
    if (state === up || ending.signal.aborted) return;
    up = state;
    onState(state);
  };

  const open = async (signal: AbortSignal) => {
    const docker = await client.get();
    const response = toResponse(await docker.getEvents({ filters, ...position.query(), abortSignal: signal }));
    if (response.headers['content-type']?.includes('json')) return response;
    response.destroy();
    throw new Error('not a stream of events');
  };

  const follow = async (): Promise<void> => {
    const response = await openInTime(open, ending.signal, openTimeoutMs).catch(() => undefined);
    // A stream that ended is not a lost engine yet: socket proxies close idle streams.
    reportState(response !== undefined);
    if (response === undefined) return;
    position.startAt(Date.parse(response.headers.date ?? '') || Date.now());
    for await (const line of readLines(response.setEncoding('utf8'))) {
      const event = parseDockerEvent(line);
      if (ending.signal.aborted) return;
      if (event !== undefined && position.add(event, line)) onEvent(event);
    }
  };

  const followForEver = async (): Promise<void> => {
    let pause = shortestPauseMs;
    while (!ending.signal.aborted) {
      const startedAt = performance.now();
      await follow().catch(() => {});
      if (performance.now() - startedAt > longestPauseMs) pause = shortestPauseMs;
      await sleep(pause, undefined, { signal: ending.signal }).catch(() => {});
      pause = Math.min(pause * 2, longestPauseMs);
    }
  };

  void followForEver();
  return () => ending.abort();
}
