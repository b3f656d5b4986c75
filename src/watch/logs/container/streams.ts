import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rotation } from '../../docker/log-container.ts';
import { createReopening } from './reopening.ts';

/** What a chunk contained: bytes on the engine's disk of new lines, and whether it was printed just now. */
export interface ChunkResult {
  readonly bytes: number;
  readonly isCaughtUp: boolean;
}

/** An opened stream of a log. */
export interface LogStream {
  readonly response: IncomingMessage;
  /** Does the stream, judging by its first chunk, contain everything that earlier ones have not brought yet? */
  isContinuous(chunk: Buffer): boolean;
  /**
   * Starts reading, once the previous stream is no longer read. Returns a function that reads the chunks. See
   * `minFillMs`.
   */
  startReading(fillsMs: number): (chunk: Buffer) => ChunkResult;
}

/** Waits until the stream brings something or ends. */
function firstEvent(response: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = ['readable', 'end', 'close', 'error'];
  const settle = () => {
    // An error without a listener would crash the process.
    for (const event of events) if (event !== 'error') response.off(event, settle);
    resolve();
  };
  for (const event of events) response.on(event, settle);
  return promise;
}

/** How long a stream that has not reached the start of the next one is still read. */
const CATCH_UP_MS = 250;
const POLL_MS = 5;

/**
 * Waits until the previous stream has reached the start of this one, because the engine has discarded what is between.
 */
async function waitForContinuity({ response, isContinuous }: LogStream, signal: AbortSignal): Promise<void> {
  const chunk = response.read() as Buffer | null;
  if (chunk === null) return;
  response.unshift(chunk);
  const until = performance.now() + CATCH_UP_MS;
  while (!isContinuous(chunk) && !signal.aborted && performance.now() < until) await sleep(POLL_MS);
}

/**
 * Reads the log of a container until its stream ends by itself. A stream that is due to be reopened is read until the
 * new one brings something. Otherwise a line printed between the two could be discarded before either has it. Rejects
 * when a stream breaks.
 */
export async function readStreams(
  open: (signal: AbortSignal) => Promise<LogStream>,
  rotation: Rotation | undefined,
  signal: AbortSignal,
  silenceMs?: number,
): Promise<void> {
  let stream: LogStream | undefined = await open(signal);
  let tookMs = 0;
  let replace = () => {};
  const reopening = createReopening(rotation, () => replace(), silenceMs);
  try {
    while (stream !== undefined) {
      const { response } = stream;
      const replacing = new AbortController();
      let next: LogStream | undefined;
      let isOpening = false;
      const openNext = async () => {
        const openedAt = performance.now();
        const opened = await open(AbortSignal.any([signal, replacing.signal]));
        await firstEvent(opened.response);
        await waitForContinuity(opened, replacing.signal);
        if (replacing.signal.aborted) {
          opened.response.destroy();
          return;
        }
        next = opened;
        tookMs = performance.now() - openedAt;
        response.destroy();
      };
      // When reopening fails, the open stream may still bring new lines.
      replace = () => {
        if (isOpening) return;
        isOpening = true;
        void openNext().catch(() => {
          isOpening = false;
          reopening.postpone();
        });
      };
      reopening.restart(tookMs);
      const readChunk = stream.startReading(reopening.minFillMs());
      try {
        for await (const chunk of response as AsyncIterable<Buffer>) {
          if (next !== undefined) break;
          const { bytes, isCaughtUp } = readChunk(chunk);
          reopening.observe(bytes, isCaughtUp);
        }
      } catch (error) {
        if (next === undefined) throw error;
      } finally {
        if (next === undefined) replacing.abort();
      }
      stream = next;
    }
  } finally {
    replace = () => {};
    reopening.stop();
  }
}
