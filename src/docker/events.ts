import { setTimeout as sleep } from 'node:timers/promises';
import { type DockerClient, toResponse } from './client.ts';
import { containerActions, type DockerEvent, parseDockerEvent } from './event.ts';

const shortestPauseMs = 250;
const longestPauseMs = 5_000;
const openTimeoutMs = 5_000;
const maxLineLength = 1024 * 1024;

/**
 * The engine stamps an event before it queues it, so two may arrive in the other order: a stream that goes on asks for a
 * little more than it lacks, and what it has already reported is left out by these keys. The engine itself replays the last
 * 256 events at most (moby, `eventsLimit`).
 */
const overlapMs = 1_000;
const maxKeys = 512;

/** The position in the stream of events. */
function createPosition() {
  const seen = new Set<string>();
  let since: number | undefined;
  let first = 0;
  return {
    /** What to ask for next: nothing at first, when only what happens from now on matters. */
    query: (): { readonly since?: number } => (since === undefined ? {} : { since: since / 1_000 }),
    /** `engineTime` in Unix milliseconds, of the first answer. */
    begin(engineTime: number): void {
      if (since !== undefined) return;
      since = engineTime;
      first = engineTime;
    },
    /** Is it new? Then it is remembered. */
    take({ at, action, id }: DockerEvent, line: string): boolean {
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
 * Follows the engine's events about containers until the returned function is called; neither function it calls may throw.
 * A stream that ends is opened again, after 0.25 s to 5 s, where it ended: no event is lost or reported twice as long as
 * the engine still has it. `onState` is called when the stream is open and when it cannot be opened, each once in a row.
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
    // A stream that merely ended is not yet a lost engine: socket proxies end idle ones.
    reportState(response !== undefined);
    if (response === undefined) return;
    position.begin(Date.parse(response.headers.date ?? '') || Date.now());
    for await (const line of readLines(response.setEncoding('utf8'))) {
      const event = parseDockerEvent(line);
      if (ending.signal.aborted) return;
      if (event !== undefined && position.take(event, line)) onEvent(event);
    }
  };

  const followForEver = async (): Promise<void> => {
    let pause = shortestPauseMs;
    while (!ending.signal.aborted) {
      const begun = performance.now();
      await follow().catch(() => {});
      if (performance.now() - begun > longestPauseMs) pause = shortestPauseMs;
      await sleep(pause, undefined, { signal: ending.signal }).catch(() => {});
      pause = Math.min(pause * 2, longestPauseMs);
    }
  };

  void followForEver();
  return () => ending.abort();
}
