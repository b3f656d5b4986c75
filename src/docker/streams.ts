import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createReopening, type Rotation } from './reopening.ts';

/** What a chunk has brought: bytes on the engine's disk of lines that were not read before, and whether it was printed just now. */
export interface Brought {
  readonly bytes: number;
  readonly isCaughtUp: boolean;
}

/** A stream of a log that was opened. */
export interface LogStream {
  readonly response: IncomingMessage;
  /** Whether all that the streams before it have not brought yet comes in it, as far as its first chunk tells. */
  goesOn(chunk: Buffer): boolean;
  /** Called once the stream before it is no longer read; takes its chunks. See `fillsMs` of `Reopening`. */
  begin(fillsMs: number): (chunk: Buffer) => Brought;
}

/** Until it brings something or ends. */
function firstOf(response: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = ['readable', 'end', 'close', 'error'];
  const settle = () => {
    // An error without a listener would end the process.
    for (const event of events) if (event !== 'error') response.off(event, settle);
    resolve();
  };
  for (const event of events) response.on(event, settle);
  return promise;
}

/** So long a stream that has not come to where the next one begins is read on at most. */
const BEHIND_MS = 250;
const LOOK_MS = 5;

/** Until the stream before has come to where this one begins, as the engine has thrown away what lies between. */
async function isReached({ response, goesOn }: LogStream, signal: AbortSignal): Promise<void> {
  const chunk = response.read() as Buffer | null;
  if (chunk === null) return;
  response.unshift(chunk);
  const until = performance.now() + BEHIND_MS;
  while (!goesOn(chunk) && !signal.aborted && performance.now() < until) await sleep(LOOK_MS);
}

/**
 * Reads the log of a container until its stream ends by itself. One that is due to be opened again is read on until the new one
 * brings something, as a line that is printed between the two may be thrown away before either has it. Rejects when a stream
 * breaks off.
 */
export async function readStreams(
  open: (signal: AbortSignal) => Promise<LogStream>,
  rotation: Rotation | undefined,
  signal: AbortSignal,
): Promise<void> {
  let stream: LogStream | undefined = await open(signal);
  let tookMs = 0;
  let replace = () => {};
  const reopening = createReopening(rotation, () => replace());
  try {
    while (stream !== undefined) {
      const { response } = stream;
      const replacing = new AbortController();
      let next: LogStream | undefined;
      let isOpening = false;
      const openNext = async () => {
        const openedAt = performance.now();
        const opened = await open(AbortSignal.any([signal, replacing.signal]));
        await firstOf(opened.response);
        await isReached(opened, replacing.signal);
        if (replacing.signal.aborted) {
          opened.response.destroy();
          return;
        }
        next = opened;
        tookMs = performance.now() - openedAt;
        response.destroy();
      };
      // One that cannot be opened again may still bring what is printed.
      replace = () => {
        if (isOpening) return;
        isOpening = true;
        void openNext().catch(() => {
          isOpening = false;
          reopening.fail();
        });
      };
      reopening.begin(tookMs);
      const take = stream.begin(reopening.fillsMs());
      try {
        for await (const chunk of response as AsyncIterable<Buffer>) {
          if (next !== undefined) break;
          const { bytes, isCaughtUp } = take(chunk);
          reopening.note(bytes, isCaughtUp);
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
