import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogFault, LogPosition, PositionStore } from '../model/log.ts';
import { createLineCutter, type LineCutter } from './create-line-cutter.ts';
import { createFrameReader } from './read-frames.ts';

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
  /** Without a position reading begins at this time, in Unix milliseconds. */
  readonly beginAt: number;
  /** A line as Latin-1 with Docker's timestamp, in Unix milliseconds. */
  readonly onLine: (line: string, at: number) => void;
  readonly onState: (fault: LogFault | undefined) => void;
}

type Streams = Record<string, { at: string; count: number }>;

const PAUSE_MS = 1_000;
const SAVE_EVERY_MS = 1_000;

/** Docker writes the time of a line so: always with nine digits and in UTC, so that texts compare as times do. */
const STAMP_BYTES = '2026-11-21T09:00:00.000000000Z '.length;

/** Lines of stdout and stderr are written in another order than stamped, but never so much apart. */
const OVERLAP_SECONDS = 5;

/** The position's time for Docker's `since`, in seconds with nine digits after the point. */
function toSince(streams: Streams): string {
  const last = Object.values(streams)
    .map(({ at }) => at)
    .sort()
    .at(-1);
  return last === undefined ? '0' : (Date.parse(last) / 1000 - OVERLAP_SECONDS).toFixed(3);
}

/**
 * Cuts stamped messages into lines, and leaves out those that were read before: per stream, all stamped before the last line,
 * and as many with its very time as were read.
 */
function createStamped(streams: Streams, onLine: (line: string, at: number) => void) {
  const skips = new Map(Object.entries(streams).map(([stream, { at, count }]) => [stream, { at, count }]));
  const cutters = new Map<string, LineCutter>();
  const inside = new Set<string>();
  let lastText = '';
  let lastAt = 0;

  const isOld = (stream: string, stamp: string): boolean => {
    const skip = skips.get(stream);
    if (skip === undefined) return false;
    if (stamp < skip.at) return true;
    if (stamp === skip.at && skip.count > 0) {
      skip.count--;
      return true;
    }
    skips.delete(stream);
    return false;
  };

  const note = (stream: string, stamp: string) => {
    const known = streams[stream];
    if (known?.at === stamp) known.count++;
    else streams[stream] = { at: stamp, count: 1 };
  };

  /** Takes one message; `text` begins with the time. */
  return (stream: string, text: string) => {
    const stamp = text.slice(0, STAMP_BYTES - 1);
    const endsLine = text.charCodeAt(text.length - 1) === 10;
    // The parts of a long line are stamped each; the last one's time stands for the line.
    if (skips.size > 0 && endsLine && isOld(stream, stamp)) {
      cutters.get(stream)?.reset();
      inside.delete(stream);
      return;
    }
    const body = text.slice(STAMP_BYTES);
    if (stamp !== lastText) {
      lastText = stamp;
      lastAt = Date.parse(stamp);
    }
    if (endsLine) note(stream, stamp);
    if (endsLine && !inside.has(stream)) {
      onLine(body.length > 65_537 ? body.slice(0, 65_536) : body.slice(0, -1), lastAt);
      return;
    }
    const cutter = cutters.get(stream) ?? createLineCutter();
    cutters.set(stream, cutter);
    cutter.push(body, (line) => onLine(line, lastAt));
    if (endsLine) inside.delete(stream);
    else inside.add(stream);
  };
}

/**
 * Follows the log of a container through its restarts, its recreation under a new id and restarts of the engine, until the
 * returned function is called. Each line is told once; a position that is stored lets this go on after a restart of subnetd.
 */
export function followContainer(options: FollowContainerOptions): () => Promise<void> {
  const { source, positions, find, open, beginAt, onLine, onState } = options;
  const ending = new AbortController();
  const stored = positions.load(source);
  let position: Extract<LogPosition, { kind: 'container' }> | undefined =
    stored?.kind === 'container' ? stored : undefined;
  let savedAt = 0;
  let readRun: string | undefined;

  const save = () => {
    savedAt = performance.now();
    if (position !== undefined) positions.save(source, structuredClone(position));
  };

  const read = async (container: LogContainer) => {
    const isKnown = position?.id === container.id;
    const streams: Streams = isKnown ? { ...position?.streams } : {};
    // A container that has taken the place of another is new since then, so all of it is.
    const since =
      isKnown && Object.keys(streams).length > 0 ? toSince(streams) : position ? '0' : (beginAt / 1000).toFixed(3);
    position ??= { kind: 'container', id: container.id, streams };
    if (!isKnown || position.streams !== streams) position = { kind: 'container', id: container.id, streams };
    const query = { follow: true, stdout: true, stderr: true, timestamps: true, since };
    const response = await open(`/containers/${container.id}/logs`, query, ending.signal);
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Error('the log is not told');
    }
    onState(undefined);
    const take = createStamped(streams, onLine);
    if (container.tty) {
      const cutter = createLineCutter();
      for await (const chunk of response as AsyncIterable<Buffer>) {
        cutter.push(chunk.toString('latin1'), (line) => take('1', `${line}\n`));
        if (performance.now() - savedAt > SAVE_EVERY_MS) save();
      }
      return;
    }
    const push = createFrameReader((stream, bytes, start, end) =>
      take(String(stream), bytes.toString('latin1', start, end)),
    );
    for await (const chunk of response as AsyncIterable<Buffer>) {
      push(chunk);
      if (performance.now() - savedAt > SAVE_EVERY_MS) save();
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
    if (!found.running && run === readRun) return;
    await read(found);
    // What a container prints while it ends may come after the stream: only one that had ended before was read whole.
    readRun = found.running ? undefined : run;
  };

  const followForEver = async () => {
    while (!ending.signal.aborted) {
      await follow().catch(() => {
        if (!ending.signal.aborted) onState({ what: 'broken' });
      });
      save();
      await sleep(PAUSE_MS, undefined, { signal: ending.signal }).catch(() => {});
    }
  };
  const ended = followForEver();
  return async () => {
    ending.abort();
    await ended;
    save();
  };
}
