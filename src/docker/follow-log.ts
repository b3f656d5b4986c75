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
 * Opens the log of a container, with timestamps, from a time in Unix seconds. It ends with the container. Rejects when
 * there is no log.
 */
export type OpenLog = (id: string, since: number, signal: AbortSignal) => Promise<IncomingMessage>;

/** Dependencies and settings of a follower. */
export interface FollowLogOptions {
  /** The key under which the position is stored. */
  readonly source: string;
  readonly positions: PositionStore;
  /** Finds the container that is the target now. */
  readonly find: (signal: AbortSignal) => Promise<LogContainer | LogFault>;
  readonly openLog: OpenLog;
  /** Reading starts at this time, in Unix milliseconds, or at the stored position when that is earlier. */
  readonly startAt: number;
  /**
   * Receives a line, as `OnLine` does. `old`: an earlier process has read it. `live`: it was printed after the log was
   * opened, so it is read as it is printed.
   */
  readonly onLine: (...line: [...Parameters<OnStampedLine>, live: boolean]) => void;
  readonly onState: (fault: LogFault | undefined) => void;
  /** Do the engine's events arrive, so that a container that starts is reported by `wake`? Without it, they do not. */
  readonly hasEvents?: () => boolean;
  /** The engine discarded lines before they were read, after the one with this Docker timestamp. */
  readonly onLost?: (after: string) => void;
}

/** A follower of one container's log. */
export interface LogFollower {
  /** The container may have started, or another replaced it: look for it at once. */
  wake(): void;
  /** Something else of the container or its engine has changed: look again, unless a log is being read. */
  recheck(): void;
  stop(): Promise<void>;
}

/** How often a container is looked for: soon after it was there, rarely when it is missing for long. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;
/** While events report what starts; only for what they may have missed. */
const PAUSE_WITH_EVENTS_MS = 5 * 60_000;

const FIND_MS = 10_000;

/** Positions kept of other containers with the same label, for those that alternate. */
const MAX_OTHERS = 8;

type Position = Extract<LogPosition, { kind: 'container' }>;

type OnMessage = (stream: string, text: string) => void;

/** Reads the frames of stdout and stderr. */
function createMessageReader(take: OnMessage): (chunk: Buffer) => void {
  return createFrameReader((stream, bytes, start, end) => take(String(stream), bytes.toString('latin1', start, end)));
}

/** Reads the bare stream of a terminal. */
function createTerminalReader(take: OnMessage): (chunk: Buffer) => void {
  const cutter = createLineCutter();
  return (chunk) =>
    cutter.push(chunk.toString('latin1'), (text, start, end) => take('1', `${text.slice(start, end)}\n`));
}

/**
 * Follows the log of a container until it is stopped: through restarts of the container, its recreation under a new id,
 * and restarts of the engine. Each line is reported once. With a stored position that holds across restarts of subnetd
 * too.
 */
export function followLog(options: FollowLogOptions): LogFollower {
  const { source, positions, find, openLog, startAt, onLine, onState, onLost, hasEvents = () => false } = options;
  const ending = new AbortController();
  let position: Position | undefined;
  /** Recently read lines of the last container. */
  let recentOf: { readonly id: string; readonly recent: Recent } | undefined;
  let isFirst = true;
  let readRun: string | undefined;
  let pauseMs = PAUSE_MS;
  let wake = () => {};
  let wakes = 0;
  let endPause = () => {};

  const findPosition = (id: string): ContainerPosition => {
    if (position?.id === id) return position;
    // A container that replaced another one is new, so its whole log is.
    const from = position === undefined ? startAt : 0;
    return position?.others?.find((other) => other.id === id) ?? { id, from, streams: {} };
  };
  const othersThan = (id: string): readonly ContainerPosition[] =>
    position === undefined
      ? []
      : [{ id: position.id, from: position.from, streams: position.streams }, ...(position.others ?? [])]
          .filter((other) => other.id !== id)
          .slice(0, MAX_OTHERS);

  /** Reads until the log ends or another container becomes the target. */
  const read = async (container: LogContainer, signal: AbortSignal) => {
    const { id, tty, rotation } = container;
    const known = findPosition(id);
    const { from } = known;
    const isKnown = Object.keys(known.streams).length > 0 || position?.id === id;
    const streams = structuredClone(known.streams) as Streams;
    const others = othersThan(id);
    const current: Position = { kind: 'container', id, from, streams, ...(others.length > 0 && { others }) };
    let isOpened = false;

    const openStream = async (until: AbortSignal): Promise<LogStream> => {
      const readBefore = findLast(streams);
      const resumeAt = findSince(streams, recentOf?.id === id ? recentOf.recent : undefined) ?? from;
      // Lines that an earlier process has read are replayed, as far back as checks need them.
      const replaysOld = isFirst && isKnown;
      const since = Math.max(replaysOld ? Math.min(resumeAt, startAt) : resumeAt, 0) / 1_000;
      const response = await openLog(id, since, until);
      isFirst = false;
      if (!isOpened) {
        isOpened = true;
        position = current;
        positions.keep(source, () => current);
        onState(undefined);
      }
      // The timestamps are by the engine's clock, which may be on another machine.
      const openedAt = Date.parse(response.headers.date ?? '') || Date.now();
      const startReading = (fillsMs: number) => {
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
            if (!old || replaysOld) onLine(text, start, end, at, old, isCaughtUp);
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
      // Each message starts with its timestamp, after the header of its frame.
      const isContinuous = (chunk: Buffer) =>
        chunk.toString('latin1', tty ? 0 : 8, (tty ? 0 : 8) + 30) <= findLast(streams);
      return { response, isContinuous, startReading };
    };
    await readStreams(openStream, rotation, signal);
  };

  /** Stops reading a container that was replaced, even if it still prints. */
  const stopIfReplaced = async (id: string, turning: AbortController) => {
    const found = await find(AbortSignal.any([ending.signal, turning.signal, AbortSignal.timeout(FIND_MS)]));
    if ('id' in found && found.id !== id) turning.abort();
  };

  /** Resolves to whether there was anything to read; `idle` while only the start of a container changes that. */
  const follow = async (): Promise<'read' | 'idle' | 'failed'> => {
    const wakesBefore = wakes;
    const found = await find(AbortSignal.any([ending.signal, AbortSignal.timeout(FIND_MS)]));
    if ('what' in found) {
      onState(found);
      return found.what === 'no-container' ? 'idle' : 'failed';
    }
    const run = `${found.id} ${found.startedAt}`;
    // A stopped container has nothing new: its log was read to the end.
    if (!found.running && run === readRun) {
      onState(undefined);
      return 'idle';
    }
    const replaced = new AbortController();
    wake = () => void stopIfReplaced(found.id, replaced).catch(() => {});
    if (wakes !== wakesBefore) wake();
    try {
      await read(found, AbortSignal.any([ending.signal, replaced.signal]));
    } catch (error) {
      if (!replaced.signal.aborted) throw error;
      return 'read';
    } finally {
      wake = () => {};
    }
    // Last lines may arrive after the stream ends. Only the log of a container that had stopped before is complete.
    readRun = found.running ? undefined : run;
    return 'read';
  };

  const pause = async (ms: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    endPause = () => {
      pauseMs = PAUSE_MS;
      resolve();
    };
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
    endPause = () => {};
  };
  const followForEver = async () => {
    const stored = await positions.load(source);
    if (stored?.kind === 'container') position = stored;
    while (!ending.signal.aborted) {
      const begunAt = performance.now();
      const wakesBefore = wakes;
      const outcome = await follow().catch(() => {
        if (!ending.signal.aborted) onState({ what: 'broken' });
        return 'failed' as const;
      });
      pauseMs = outcome === 'read' ? PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      // A container that stopped may be removed at once, with whatever its stream left out.
      const isRetriedAtOnce =
        outcome === 'read' ? performance.now() - begunAt >= PAUSE_MS : outcome === 'idle' && wakes !== wakesBefore;
      if (ending.signal.aborted || isRetriedAtOnce) continue;
      await pause(outcome === 'idle' && hasEvents() ? PAUSE_WITH_EVENTS_MS : pauseMs);
    }
  };
  const ended = followForEver();
  return {
    wake: () => {
      wakes++;
      pauseMs = PAUSE_MS;
      wake();
      endPause();
    },
    recheck: () => endPause(),
    stop: async () => {
      ending.abort();
      endPause();
      await ended;
    },
  };
}
