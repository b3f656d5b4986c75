import type { Progress } from '../model/facts.ts';
import type { TargetState } from '../model/snapshot.ts';

/** Did the height rise or fall within the last `ms`? */
export const movedWithin = (height: Progress | undefined, now: number, ms: number): boolean =>
  height !== undefined &&
  ((height.risen && now - height.advancedAt < ms) || (height.fall !== undefined && now - height.fall.at < ms));

/** Did the node's log show a greater height within the last `ms`? */
export const logRoseWithin = ({ facts }: TargetState, now: number, ms: number): boolean =>
  facts.logs?.node?.advancedAt !== undefined && now - facts.logs.node.advancedAt < ms;
