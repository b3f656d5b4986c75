import type { Progress } from '../../model/facts.ts';
import type { Problem } from '../../model/problem.ts';
import type { TargetState } from '../../model/snapshot.ts';
import { isCredible } from '../rules/view.ts';
import { viewContainer, viewStart } from './view-container.ts';

/** The height of a node, as long as its last probe obtained one. */
export const heightOf = ({ facts: { node } }: TargetState): Progress | undefined =>
  node?.observation.latest.ok ? node.latest : undefined;

/** The heights that a node had by `since`, when a halt was last found, even if it has been restarted after that. */
function heightsBefore({ facts: { node, logs } }: TargetState, since: number): readonly number[] {
  const { height, advancedAt = since, heightBefore } = logs?.node ?? {};
  return [
    node?.latest !== undefined && node.latest.advancedAt <= since ? [node.latest.number] : [],
    height !== undefined && advancedAt <= since ? [height] : [],
    heightBefore ?? [],
  ].flat();
}

/**
 * The greatest height that a node had already at `before`. One without peers, or that has just started, shows nothing. While a halt
 * lasts: the greatest of all from before it.
 */
export function findStoodAt(
  states: readonly TargetState[],
  reference: number | undefined,
  before: number,
  now: number,
  halt: Problem | undefined,
): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (const state of states) {
    if (halt?.state === 'open')
      for (const height of heightsBefore(state, halt.seenAt))
        if (height > highest && isCredible(height, reference)) highest = height;
    const { number, advancedAt } = heightOf(state) ?? {};
    if (number === undefined || advancedAt === undefined || number <= highest || advancedAt > before) continue;
    const { peers } = state.facts.node?.observation ?? {};
    if ((peers?.ok && peers.value.count === 0) || viewStart(state, viewContainer(state), now).isStarting) continue;
    if (isCredible(number, reference)) highest = number;
  }
  return highest;
}

/** When a halt was seen to end, by a block above all from before it; long ago without one, or while it lasts. */
export function findHaltEnd(
  halt: Problem | undefined,
  states: readonly TargetState[],
  stoodAt: number,
  now: number,
): number {
  if (halt === undefined || halt.state === 'suspected') return Number.NEGATIVE_INFINITY;
  const isNew = (number = stoodAt, at = halt.seenAt) => number > stoodAt && at > halt.seenAt;
  const isOver = states.some(
    ({ facts: { node, logs } }) =>
      (node?.latest?.risen === true && isNew(node.latest.number, node.latest.advancedAt)) ||
      isNew(logs?.node?.height, logs?.node?.advancedAt),
  );
  return halt.clearingSince ?? (isOver ? now : Number.NEGATIVE_INFINITY);
}
