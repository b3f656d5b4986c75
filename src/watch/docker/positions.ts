import type { ContainerPosition, LogPosition } from '../../model/log.ts';
import { createRecent, type Recent } from './recent.ts';

/** The position in the logs of a target's containers: the current one, and earlier ones. */
export type Position = Extract<LogPosition, { kind: 'container' }>;

/** Positions kept of other containers with the same label, for those that alternate. */
const MAX_OTHERS = 8;

/** The position in the log of this container; without a known one reading starts at `startAt`, in Unix milliseconds. */
export function positionOf(position: Position | undefined, id: string, startAt: number): ContainerPosition {
  if (position?.id === id) return position;
  // A container that replaced another one is new, so its whole log is.
  const from = position === undefined ? startAt : 0;
  return position?.others?.find((other) => other.id === id) ?? { id, from, streams: {} };
}

/** The position when `current` is the container that is read; the one before it becomes one of the others. */
export function toPosition(before: Position | undefined, current: ContainerPosition): Position {
  const { id, from, streams } = current;
  const others =
    before === undefined
      ? []
      : [{ id: before.id, from: before.from, streams: before.streams }, ...(before.others ?? [])]
          .filter((other) => other.id !== id)
          .slice(0, MAX_OTHERS);
  return { kind: 'container', id, from, streams, ...(others.length > 0 && { others }) };
}

/** The position per stream: Docker's timestamp of the last whole line, and how many lines carried it. */
export type Streams = Record<string, { at: string; count: number }>;

/** Lines of stdout and stderr may be out of order, but never by more than this. */
export const OVERLAP_MS = 5_000;

/** The timestamp of the last line read of any stream; empty when there is none. */
export const findLast = (streams: Streams): string =>
  Object.values(streams).reduce((last, { at }) => (at > last ? at : last), '');

/** The time from which a log is requested again, in Unix milliseconds. Undefined when nothing of it was read. */
export function findSince(streams: Streams, recent?: Recent): number | undefined {
  const last = findLast(streams);
  if (last === '') return undefined;
  const wholeTo = recent?.completeUntil() || last;
  return Math.min(Date.parse(last) - OVERLAP_MS, (recent?.from() ?? Infinity) * 1_000, Date.parse(wholeTo));
}

/**
 * Starts to remember lines at the first opening of a log in this process. Of an earlier process only the last line is
 * known (`streams`), so nothing before that is checked again.
 */
export function createRecentOf(streams: Streams, from: number, openedAt: number): Recent {
  const last = findLast(streams);
  const begin = Math.max(openedAt - OVERLAP_MS, from, last === '' ? 0 : Date.parse(last));
  return createRecent(Math.floor(begin / 1_000) + 1);
}

/**
 * Records a line as the position. After the clock was set back, later positions of other streams would hide their new
 * lines.
 */
export function recordPosition(streams: Streams, stream: string, stamp: string, at: number) {
  const known = streams[stream];
  if (known?.at === stamp) {
    known.count++;
    return;
  }
  if (known !== undefined && stamp < known.at)
    for (const [other, { at: last }] of Object.entries(streams))
      if (Date.parse(last) > at + OVERLAP_MS) streams[other] = { at: stamp, count: 0 };
  if (known === undefined) streams[stream] = { at: stamp, count: 1 };
  else {
    known.at = stamp;
    known.count = 1;
  }
}
