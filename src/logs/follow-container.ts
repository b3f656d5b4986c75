import type { IncomingMessage } from 'node:http';
import type { ContainerPosition, LogFault, LogPosition, PositionStore } from '../model/log.ts';
import { createLineCutter } from './create-line-cutter.ts';
import type { Recent } from './create-recent.ts';
import { createFrameReader } from './read-frames.ts';
import { createRecentOf, createStamped, findSince, type OnStampedLine, type Streams } from './read-stamped.ts';

/** A container whose log can be read. */
export interface LogContainer {
  readonly id: string;
  readonly running: boolean;
  /** Unix milliseconds. */
  readonly startedAt?: number;
  /** It writes a bare stream without frames. */
  readonly tty: boolean;
  /** Its log is rotated by the engine, so that a stream of it is opened again after so long; absent when it is not. */
  readonly reopenAfterMs?: number;
}

/** What a follower of a container is given. */
export interface FollowContainerOptions {
  /** Under this name the position is kept. */
  readonly source: string;
  readonly positions: PositionStore;
  /** Finds the container that stands for the target now. */
  readonly find: (signal: AbortSignal) => Promise<LogContainer | LogFault>;
  /** A GET request to the Docker Engine, its answer as a stream. */
  readonly open: (
    path: string,
    query: Readonly<Record<string, string | boolean>>,
    signal: AbortSignal,
  ) => Promise<IncomingMessage>;
  /** Reading begins at this time, in Unix milliseconds, or where it was before when that is earlier. */
  readonly beginAt: number;
  /**
   * A line, as `OnLine` takes it; `old` when an earlier process was told it, `live` when it was printed since the log was
   * opened, so that it is read as it comes.
   */
  readonly onLine: (...line: [...Parameters<OnStampedLine>, live: boolean]) => void;
  readonly onState: (fault: LogFault | undefined) => void;
  /** The engine threw lines away before they were read, after the one with this time of Docker's. */
  readonly onLost?: (after: string) => void;
}

/** A container that is followed. */
export interface ContainerFollower {
  /** The container may have begun to run: it is looked for at once. */
  wake(): void;
  stop(): Promise<void>;
}

/** So often a container is looked for that has just been there, and one that is not there for long. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Under its own rotation the engine goes on with an open stream in silence, while a new one would bring what is printed. So a
 * stream is opened again when it is silent for longer than its container has been lately, and less often each time in vain.
 */
const SILENCE_MS = 5_000;
const LONGEST_SILENCE_MS = 300_000;

/** To find where to go on the engine reads a log from its beginning, which takes long for a large one: this is no silence. */
const FIRST_MS = 60_000;

/** Containers of one label that take turns are each read on where they were. */
const MAX_OTHERS = 8;

type Position = Extract<LogPosition, { kind: 'container' }>;

/**
 * Follows the log of a container through its restarts, its recreation under a new id and restarts of the engine, until the
 * returned function is called. Each line is told once; a position that is stored lets this go on after a restart of subnetd.
 */
export function followContainer(options: FollowContainerOptions): ContainerFollower {
  const { source, positions, find, open, beginAt, onLine, onState, onLost } = options;
  const ending = new AbortController();
  let position: Position | undefined;
  /** What is remembered of the container that was read last. */
  let recentOf: { readonly id: string; readonly recent: Recent } | undefined;
  let isFirst = true;
  let readRun: string | undefined;
  let silenceMs = SILENCE_MS;
  let longestMs = 0;
  let pauseMs = PAUSE_MS;
  let wake = () => {};

  const goOn = (id: string): ContainerPosition => {
    if (position?.id === id) return position;
    // A container that has taken the place of another is new since then, so all of it is.
    const from = position === undefined ? beginAt : 0;
    return position?.others?.find((other) => other.id === id) ?? { id, from, streams: {} };
  };
  const othersThan = (id: string): readonly ContainerPosition[] =>
    position === undefined
      ? []
      : [{ id: position.id, from: position.from, streams: position.streams }, ...(position.others ?? [])]
          .filter((other) => other.id !== id)
          .slice(0, MAX_OTHERS);

  /** The bytes of a stream, until it ends, is silent for too long, or is old: one that starves may still bring some lines. */
  async function* untilSilent(
    response: IncomingMessage,
    maxAgeMs: number | undefined,
    isCaughtUp: () => boolean,
  ): AsyncGenerator<Buffer> {
    const cutOfAge = () => {
      // What was there before is read in one stream, however long it takes.
      if (!isCaughtUp()) return;
      isOld = true;
      response.destroy();
    };
    const aging = maxAgeMs === undefined ? undefined : setInterval(cutOfAge, maxAgeMs);
    let isOld = false;
    let at = performance.now();
    let isSilent = false;
    const cut = () => {
      isSilent = true;
      response.destroy();
    };
    let timer = setTimeout(cut, Math.max(silenceMs, FIRST_MS));
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        clearTimeout(timer);
        yield chunk;
        const now = performance.now();
        // What came at once was there before.
        longestMs = Math.max(longestMs * 0.99, now - at);
        at = now;
        silenceMs = Math.min(Math.max(SILENCE_MS, 2 * longestMs), LONGEST_SILENCE_MS);
        timer = setTimeout(cut, silenceMs);
      }
    } catch (error) {
      if (!isSilent && !isOld) throw error;
    } finally {
      clearTimeout(timer);
      clearInterval(aging);
    }
    if (isSilent) silenceMs = Math.min(2 * silenceMs, LONGEST_SILENCE_MS);
  }

  const read = async (container: LogContainer) => {
    const known = goOn(container.id);
    const { from } = known;
    const isKnown = Object.keys(known.streams).length > 0 || position?.id === container.id;
    const streams = structuredClone(known.streams) as Streams;
    const goOnAt = findSince(streams, recentOf?.id === container.id ? recentOf.recent : undefined) ?? from;
    // What an earlier process was told is told again as far as checks look back.
    const tellsOld = isFirst && isKnown;
    const since = (Math.max(tellsOld ? Math.min(goOnAt, beginAt) : goOnAt, 0) / 1000).toFixed(3);
    const query = { follow: container.running, stdout: true, stderr: true, timestamps: true, since };
    const response = await open(`/containers/${container.id}/logs`, query, ending.signal);
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Error('the log is not told');
    }
    isFirst = false;
    // Lines are stamped by the engine's clock, which may be another machine's.
    const openedAt = Date.parse(response.headers.date ?? '') || Date.now();
    if (recentOf?.id !== container.id) recentOf = { id: container.id, recent: createRecentOf(streams, from, openedAt) };
    const { recent } = recentOf;
    const others = othersThan(container.id);
    const current: Position = {
      kind: 'container',
      id: container.id,
      from,
      streams,
      ...(others.length > 0 && { others }),
    };
    position = current;
    positions.keep(source, () => current);
    onState(undefined);
    let isCaughtUp = false;
    const chunksOf = (stream: IncomingMessage) => untilSilent(stream, container.reopenAfterMs, () => isCaughtUp);
    const take = createStamped({
      streams,
      from,
      recent,
      openedAt,
      onLine: (text, start, end, at, old) => {
        isCaughtUp = at >= openedAt;
        if (!old || tellsOld) onLine(text, start, end, at, old, isCaughtUp);
      },
      ...(onLost && { onLost }),
    });
    if (container.tty) {
      const cutter = createLineCutter();
      for await (const chunk of chunksOf(response))
        cutter.push(chunk.toString('latin1'), (text, start, end) => take('1', `${text.slice(start, end)}\n`));
      return;
    }
    const push = createFrameReader((stream, bytes, start, end) =>
      take(String(stream), bytes.toString('latin1', start, end)),
    );
    for await (const chunk of chunksOf(response)) push(chunk);
  };

  /** Resolves to whether there is something to read. */
  const follow = async (): Promise<boolean> => {
    const found = await find(AbortSignal.any([ending.signal, AbortSignal.timeout(10_000)]));
    if ('what' in found) {
      onState(found);
      return false;
    }
    const run = `${found.id} ${found.startedAt}`;
    // A container that does not run has nothing new: its log was read to the end.
    if (!found.running && run === readRun) {
      onState(undefined);
      return false;
    }
    await read(found);
    // What a container prints while it ends may come after the stream: only one that had ended before was read whole.
    readRun = found.running ? undefined : run;
    return true;
  };

  const pause = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = () => {
      pauseMs = PAUSE_MS;
      resolve();
    };
    const timer = setTimeout(resolve, pauseMs);
    await promise;
    clearTimeout(timer);
    wake = () => {};
  };
  const followForEver = async () => {
    const stored = await positions.load(source);
    if (stored?.kind === 'container') position = stored;
    while (!ending.signal.aborted) {
      const isThere = await follow().catch(() => {
        if (!ending.signal.aborted) onState({ what: 'broken' });
        return false;
      });
      pauseMs = isThere ? PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      if (!ending.signal.aborted) await pause();
    }
  };
  const ended = followForEver();
  return {
    wake: () => {
      pauseMs = PAUSE_MS;
      wake();
    },
    stop: async () => {
      ending.abort();
      wake();
      await ended;
    },
  };
}
