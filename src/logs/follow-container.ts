import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogFault, LogPosition, PositionStore } from '../model/log.ts';
import { createLineCutter } from './create-line-cutter.ts';
import { createFrameReader } from './read-frames.ts';
import { createStamped, findSince, type OnStampedLine } from './read-stamped.ts';

/** A container whose log can be read. */
export interface LogContainer {
  readonly id: string;
  readonly running: boolean;
  /** Unix milliseconds. */
  readonly startedAt?: number;
  /** It writes a bare stream without frames. */
  readonly tty: boolean;
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
}

const PAUSE_MS = 1_000;

type Position = Extract<LogPosition, { kind: 'container' }>;

/**
 * Follows the log of a container through its restarts, its recreation under a new id and restarts of the engine, until the
 * returned function is called. Each line is told once; a position that is stored lets this go on after a restart of subnetd.
 */
export function followContainer(options: FollowContainerOptions): () => Promise<void> {
  const { source, positions, find, open, beginAt, onLine, onState } = options;
  const ending = new AbortController();
  let position: Position | undefined;
  let isFirst = true;
  let readRun: string | undefined;

  const read = async (container: LogContainer) => {
    const known = position?.id === container.id ? position : undefined;
    // A container that has taken the place of another is new since then, so all of it is.
    const from = known?.from ?? (position === undefined ? beginAt : 0);
    const streams = structuredClone(known?.streams ?? {});
    const goOnAt = findSince(streams) ?? from;
    // What an earlier process was told is told again as far as checks look back.
    const tellsOld = isFirst && known !== undefined;
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
    const current: Position = { kind: 'container', id: container.id, from, streams };
    position = current;
    positions.keep(source, () => current);
    onState(undefined);
    const take = createStamped(streams, from, (text, start, end, at, old) => {
      if (!old || tellsOld) onLine(text, start, end, at, old, at >= openedAt);
    });
    if (container.tty) {
      const cutter = createLineCutter();
      for await (const chunk of response as AsyncIterable<Buffer>) {
        cutter.push(chunk.toString('latin1'), (text, start, end) => take('1', `${text.slice(start, end)}\n`));
      }
      return;
    }
    const push = createFrameReader((stream, bytes, start, end) =>
      take(String(stream), bytes.toString('latin1', start, end)),
    );
    for await (const chunk of response as AsyncIterable<Buffer>) {
      push(chunk);
    }
  };

  const follow = async () => {
    const found = await find(AbortSignal.any([ending.signal, AbortSignal.timeout(10_000)]));
    if ('what' in found) {
      onState(found);
      return;
    }
    const run = `${found.id} ${found.startedAt}`;
    // A container that stands still has nothing new: its log was read to the end.
    if (!found.running && run === readRun) {
      onState(undefined);
      return;
    }
    await read(found);
    // What a container prints while it ends may come after the stream: only one that had ended before was read whole.
    readRun = found.running ? undefined : run;
  };

  const followForEver = async () => {
    const stored = await positions.load(source);
    if (stored?.kind === 'container') position = stored;
    while (!ending.signal.aborted) {
      await follow().catch(() => {
        if (!ending.signal.aborted) onState({ what: 'broken' });
      });
      await sleep(PAUSE_MS, undefined, { signal: ending.signal }).catch(() => {});
    }
  };
  const ended = followForEver();
  return async () => {
    ending.abort();
    await ended;
  };
}
