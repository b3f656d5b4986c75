import type { ContainerPosition, LogPosition } from '../../model/log.ts';

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
