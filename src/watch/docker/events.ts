import { setTimeout as sleep } from 'node:timers/promises';
import { type DockerClient, toResponse } from './client.ts';
import { containerActions, type DockerEvent, parseDockerEvent } from './event.ts';

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
    if (rest.length > maxLineLength) throw new Error('this is no stream of events');
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

  const open = async () => {
    const attempt = new AbortController();
    const timer = setTimeout(() => attempt.abort(), openTimeoutMs);
    try {
      const signal = AbortSignal.any([ending.signal, attempt.signal]);
      const docker = await client.get();
      const response = toResponse(await docker.getEvents({ filters, ...position.query(), abortSignal: signal }));
      if (response.headers['content-type']?.includes('json')) return response;
      response.destroy();
      throw new Error('this is no stream of events');
    } finally {
      clearTimeout(timer);
    }
  };

  const follow = async (): Promise<void> => {
    const response = await open().catch(() => undefined);
    // A stream that ended is no lost engine yet: socket proxies close idle streams.
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
