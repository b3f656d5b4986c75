import type { IncomingMessage } from 'node:http';
import { createLineCutter } from '../model/create-line-cutter.ts';
import type { ContainerPosition, LogFault, LogPosition, PositionStore } from '../model/log.ts';
import { createFrameReader } from './frames.ts';
import type { LogContainer } from './log-container.ts';
import type { Recent } from './recent.ts';
import { BESIDE_TEXT_BYTES } from './reopening.ts';
import { createRecentOf, createStamped, findLast, findSince, type OnStampedLine, type Streams } from './stamped.ts';
import { type LogStream, readStreams } from './streams.ts';

/**
 * The log of a container from this time on, in Unix seconds, with stamps: as long as it runs, or to its end. Rejects when none
 * comes.
 */
export type OpenLog = (id: string, since: number, signal: AbortSignal) => Promise<IncomingMessage>;

/** What a follower of a container is given. */
export interface FollowLogOptions {
  /** Under this name the position is kept. */
  readonly source: string;
  readonly positions: PositionStore;
  /** Finds the container that stands for the target now. */
  readonly find: (signal: AbortSignal) => Promise<LogContainer | LogFault>;
  readonly openLog: OpenLog;
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

/** A log that is followed. */
export interface LogFollower {
  /** The container may have begun to run, or another in its place: it is looked for at once. */
  wake(): void;
  stop(): Promise<void>;
}

/** So often a container is looked for that has just been there, and one that is not there for long. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

const FIND_MS = 10_000;

/** Containers of one label that take turns are each read on where they were. */
const MAX_OTHERS = 8;

type Position = Extract<LogPosition, { kind: 'container' }>;

type Take = (stream: string, text: string) => void;

/** Of the frames of stdout and stderr. */
function createMessageReader(take: Take): (chunk: Buffer) => void {
  return createFrameReader((stream, bytes, start, end) => take(String(stream), bytes.toString('latin1', start, end)));
}

/** Of a bare stream. */
function createTerminalReader(take: Take): (chunk: Buffer) => void {
  const cutter = createLineCutter();
  return (chunk) =>
    cutter.push(chunk.toString('latin1'), (text, start, end) => take('1', `${text.slice(start, end)}\n`));
}

/**
 * Follows the log of a container through its restarts, its recreation under a new id and restarts of the engine, until the
 * returned function is called. Each line is told once; a position that is stored lets this go on after a restart of subnetd.
 */
export function followLog(options: FollowLogOptions): LogFollower {
  const { source, positions, find, openLog, beginAt, onLine, onState, onLost } = options;
  const ending = new AbortController();
  let position: Position | undefined;
  /** What is remembered of the container that was read last. */
  let recentOf: { readonly id: string; readonly recent: Recent } | undefined;
  let isFirst = true;
  let readRun: string | undefined;
  let pauseMs = PAUSE_MS;
  let wake = () => {};
  let wakes = 0;

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

  /** Until the log ends, or another container is found to stand for the target. */
  const read = async (container: LogContainer, signal: AbortSignal) => {
    const { id, tty, rotation } = container;
    const known = goOn(id);
    const { from } = known;
    const isKnown = Object.keys(known.streams).length > 0 || position?.id === id;
    const streams = structuredClone(known.streams) as Streams;
    const others = othersThan(id);
    const current: Position = { kind: 'container', id, from, streams, ...(others.length > 0 && { others }) };
    let isBegun = false;

    const openStream = async (until: AbortSignal): Promise<LogStream> => {
      const readBefore = findLast(streams);
      const goOnAt = findSince(streams, recentOf?.id === id ? recentOf.recent : undefined) ?? from;
      // What an earlier process was told is told again as far as checks look back.
      const tellsOld = isFirst && isKnown;
      const since = Math.max(tellsOld ? Math.min(goOnAt, beginAt) : goOnAt, 0) / 1_000;
      const response = await openLog(id, since, until);
      isFirst = false;
      if (!isBegun) {
        isBegun = true;
        position = current;
        positions.keep(source, () => current);
        onState(undefined);
      }
      // Lines are stamped by the engine's clock, which may be another machine's.
      const openedAt = Date.parse(response.headers.date ?? '') || Date.now();
      const begin = (fillsMs: number) => {
        if (recentOf?.id !== id) recentOf = { id, recent: createRecentOf(streams, from, openedAt) };
        let isCaughtUp = false;
        let bytes = 0;
        const take = createStamped({
          streams,
          from,
          recent: recentOf.recent,
          openedAt,
          readBefore,
          ...(rotation && { rotated: { files: rotation.files, fillsMs } }),
          onLine: (text, start, end, at, old) => {
            isCaughtUp = at >= openedAt;
            if (!old) bytes += end - start + BESIDE_TEXT_BYTES;
            if (!old || tellsOld) onLine(text, start, end, at, old, isCaughtUp);
          },
          onLost,
        });
        const push = tty ? createTerminalReader(take) : createMessageReader(take);
        return (chunk: Buffer) => {
          bytes = 0;
          push(chunk);
          return { bytes, isCaughtUp };
        };
      };
      // Behind the header of its frame each message begins with its stamp.
      const goesOn = (chunk: Buffer) => chunk.toString('latin1', tty ? 0 : 8, (tty ? 0 : 8) + 30) <= findLast(streams);
      return { response, goesOn, begin };
    };
    await readStreams(openStream, rotation, signal);
  };

  /** Ends the reading of a container in whose place another one stands by now, though it goes on to print. */
  const turnFrom = async (id: string, turning: AbortController) => {
    const found = await find(AbortSignal.any([ending.signal, turning.signal, AbortSignal.timeout(FIND_MS)]));
    if ('id' in found && found.id !== id) turning.abort();
  };

  /** Resolves to whether there is something to read. */
  const follow = async (): Promise<boolean> => {
    const wakesBefore = wakes;
    const found = await find(AbortSignal.any([ending.signal, AbortSignal.timeout(FIND_MS)]));
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
    const turning = new AbortController();
    wake = () => void turnFrom(found.id, turning).catch(() => {});
    if (wakes !== wakesBefore) wake();
    try {
      await read(found, AbortSignal.any([ending.signal, turning.signal]));
    } catch (error) {
      if (!turning.signal.aborted) throw error;
      return true;
    } finally {
      wake = () => {};
    }
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
      const begunAt = performance.now();
      const isThere = await follow().catch(() => {
        if (!ending.signal.aborted) onState({ what: 'broken' });
        return false;
      });
      pauseMs = isThere ? PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      // A container that has ended may be removed at once, and what its stream left out with it.
      const goesOn = isThere && performance.now() - begunAt >= PAUSE_MS;
      if (!ending.signal.aborted && !goesOn) await pause();
    }
  };
  const ended = followForEver();
  return {
    wake: () => {
      wakes++;
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
