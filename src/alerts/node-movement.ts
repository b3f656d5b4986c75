import type { TargetState } from '../monitor/board.ts';
import type { Progress } from '../rules/fold-node.ts';

/** The nodes of a subnet. */
export const nodesOf = ({ targets }: { readonly targets: readonly TargetState[] }): readonly TargetState[] =>
  targets.filter(({ target }) => target.component === 'node');

/** Was the height seen to rise or fall within so long before now? */
export const movedWithin = (height: Progress | undefined, now: number, ms: number): boolean =>
  height !== undefined &&
  ((height.risen && now - height.advancedAt < ms) || (height.fall !== undefined && now - height.fall.at < ms));

/** Did the log of the node show a greater height within so long before now? */
export const logRoseWithin = ({ facts }: TargetState, now: number, ms: number): boolean =>
  facts.logs?.node?.advancedAt !== undefined && now - facts.logs.node.advancedAt < ms;

/** The node's height as of its last look. */
export const heightOf = ({ facts: { node } }: TargetState): number | undefined =>
  node?.observation.latest.ok ? node.observation.latest.value.number : undefined;

/** How many nodes were asked by JSON-RPC and answered nothing. */
export const countSilent = (subnet: { readonly targets: readonly TargetState[] }): number =>
  nodesOf(subnet).filter(({ facts }) => facts.node?.observation.answered === false).length;
