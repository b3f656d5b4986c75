import type { IncomingMessage } from 'node:http';
import { valueWithin } from '../../../lib/promises.ts';
import type { LogPosition, PositionStore } from '../../../model/log.ts';
import { openInTime } from '../../docker/client.ts';
import { createMessageReader, createTerminalReader, FRAME_HEADER_BYTES } from '../../docker/frames.ts';
import type { LogContainer } from '../../docker/log-container.ts';
import { createStampedReader, type OnStampedLine, STAMP_BYTES } from './create-stamped-reader.ts';
import { createReadLines, positionOf, type Streams, toPosition } from './read-lines.ts';
import { BESIDE_TEXT_BYTES } from './reopening.ts';
import { type LogStream, readStreams } from './streams.ts';

/**
 * Opens the log of a container, with timestamps, from a time in Unix seconds. It ends with the container. Rejects when
 * there is no log.
 */
export type OpenLog = (id: string, since: number, signal: AbortSignal) => Promise<IncomingMessage>;

/** Opens the last lines of the log of a container, as many as asked for. Rejects when there is no log. */
export type OpenTail = (id: string, lines: number, signal: AbortSignal) => Promise<IncomingMessage>;

/** Dependencies and settings of a reader. */
export interface ContainerLogReaderOptions {
  /** The key under which the position is stored. */
  readonly source: string;
  readonly positions: PositionStore;
  readonly openLog: OpenLog;
  readonly openTail: OpenTail;
  /** Reading starts at this time, in Unix milliseconds, or at the stored position when that is earlier. */
  readonly startAt: number;
  /**
   * Receives a line, as `OnLine` does. `old`: an earlier process has read it. `live`: it was printed after the log was
   * opened, so it is read as it is printed.
   */
  readonly onLine: (...line: [...Parameters<OnStampedLine>, live: boolean]) => void;
  /** The log of the container is open for the first time. */
  readonly onOpened: () => void;
  /** The engine discarded lines before they were read, after the one with this Docker timestamp. */
  readonly onLost?: (after: string) => void;
  /** A stream that brings nothing for this long is reopened, in milliseconds; 5,000 by default. */
  readonly silenceMs?: number;
}

/** Docker answers before it looks for the first line, however long the log is; Podman not before it has one. */
const OPEN_MS = 10_000;

/** Opens a stream, for as long as it takes while `check`, called every ten seconds, does not reject. */
async function openWhile<T>(
  open: (signal: AbortSignal) => Promise<T>,
  check: (signal: AbortSignal) => Promise<void>,
  until: AbortSignal,
): Promise<T> {
  const attempt = new AbortController();
  const signal = AbortSignal.any([until, attempt.signal]);
  const opening = open(signal);
  try {
    for (;;) {
      const opened = await valueWithin(OPEN_MS, opening, undefined);
      if (opened !== undefined) return opened;
      await Promise.race([opening, check(signal)]);
    }
  } catch (error) {
    attempt.abort();
    throw error;
  }
}

/**
 * Reads the logs of the containers that are the target one after the other, each until it ends or the signal aborts; rejects when
 * a stream breaks. Keeps the position, and reads no line twice, neither of a log that it opens again nor of an earlier process
 * that has stored a position.
 */
export function createContainerLogReader(
  options: ContainerLogReaderOptions,
  stored: LogPosition | undefined,
): (container: LogContainer, signal: AbortSignal) => Promise<void> {
  const { source, positions, openLog, openTail, startAt, onLine, onOpened, onLost, silenceMs } = options;
  let position = stored?.kind === 'container' ? stored : undefined;
  let lastLog: ReturnType<typeof createLog> | undefined;
  let isFirst = true;

  /** The log of a container: what was read of it, and the position that tells so. */
  const createLog = (id: string) => {
    const { from, streams: before } = positionOf(position, id, startAt);
    const streams = structuredClone(before) as Streams;
    return {
      id,
      from,
      isKnown: Object.keys(streams).length > 0 || position?.id === id,
      lines: createReadLines(streams, from),
      position: toPosition(position, { id, from, streams }),
    };
  };

  return async ({ id, tty, rotation }, signal) => {
    const log = lastLog?.id === id ? lastLog : createLog(id);
    const { lines } = log;
    let isOpened = false;

    const setOpened = () => {
      if (isOpened) return;
      isOpened = true;
      lastLog = log;
      position = log.position;
      positions.keep(source, () => log.position);
      onOpened();
    };
    /** A log whose last line can be read is silent, not broken. */
    const checkSilent = async (until: AbortSignal) => {
      const tail = await openInTime((signal) => openTail(id, 1, signal), until, OPEN_MS);
      tail.destroy();
      setOpened();
    };

    const openStream = async (until: AbortSignal): Promise<LogStream> => {
      const readBefore = lines.last();
      const resumeAt = lines.since() ?? log.from;
      // Lines that an earlier process has read are replayed, as far back as checks need them.
      const replaysOld = isFirst && log.isKnown;
      const since = Math.max(replaysOld ? Math.min(resumeAt, startAt) : resumeAt, 0) / 1_000;
      const response = await openWhile((signal) => openLog(id, since, signal), checkSilent, until);
      isFirst = false;
      setOpened();
      // The timestamps are by the engine's clock, which may be on another machine.
      const openedAt = Date.parse(response.headers.date ?? '') || Date.now();
      const startReading = (fillsMs: number) => {
        let isCaughtUp = false;
        let bytes = 0;
        const rotated = rotation && { files: rotation.files, fillsMs };
        const take = createStampedReader(
          lines,
          { openedAt, readBefore, rotated, onLost },
          (text, start, end, at, old) => {
            isCaughtUp = at >= openedAt;
            if (!old) bytes += end - start + BESIDE_TEXT_BYTES;
            if (!old || replaysOld) onLine(text, start, end, at, old, isCaughtUp);
          },
        );
        const push = tty ? createTerminalReader(take) : createMessageReader(take);
        return (chunk: Buffer) => {
          bytes = 0;
          push(chunk);
          return { bytes, isCaughtUp };
        };
      };
      // Each message starts with its timestamp, after the header of its frame; a terminal has no frames.
      const stampAt = tty ? 0 : FRAME_HEADER_BYTES;
      const isContinuous = (chunk: Buffer) =>
        chunk.toString('latin1', stampAt, stampAt + STAMP_BYTES - 1) <= lines.last();
      return { response, isContinuous, startReading };
    };
    await readStreams(openStream, rotation, signal, silenceMs);
  };
}
