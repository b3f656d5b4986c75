import type { Progress } from '../model/facts.ts';
import type { SubnetState, TargetState } from '../model/snapshot.ts';

/** Works something out once for each state of a subnet, which never changes: each of its nodes may ask for it. */
function once<Value>(workOut: (subnet: SubnetState) => Value): (subnet: SubnetState) => Value {
  const known = new WeakMap<SubnetState, { readonly value: Value }>();
  return (subnet) => {
    const { value } = known.get(subnet) ?? { value: workOut(subnet) };
    known.set(subnet, { value });
    return value;
  };
}

/** The nodes of a subnet. */
export const nodesOf = once(({ targets }): readonly TargetState[] =>
  targets.filter(({ target }) => target.component === 'node'),
);

/** The node's height as of its last look. */
export const heightOf = ({ facts: { node } }: TargetState): number | undefined =>
  node?.observation.latest.ok ? node.observation.latest.value.number : undefined;

/** The greatest height of the nodes as of their last looks; undefined when none told one. */
export const highestOf = once((subnet): number | undefined => {
  const highest = Math.max(...nodesOf(subnet).map((node) => heightOf(node) ?? -1));
  return highest < 0 ? undefined : highest;
});

/** How many nodes were asked by JSON-RPC and answered nothing. */
export const countSilent = once(
  (subnet) => nodesOf(subnet).filter(({ facts }) => facts.node?.observation.answered === false).length,
);

/** Was the height seen to rise or fall within so long before now? */
export const movedWithin = (height: Progress | undefined, now: number, ms: number): boolean =>
  height !== undefined &&
  ((height.risen && now - height.advancedAt < ms) || (height.fall !== undefined && now - height.fall.at < ms));

/** Did the log of the node show a greater height within so long before now? */
export const logRoseWithin = ({ facts }: TargetState, now: number, ms: number): boolean =>
  facts.logs?.node?.advancedAt !== undefined && now - facts.logs.node.advancedAt < ms;
