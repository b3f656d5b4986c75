import type { Progress } from '../model/facts.ts';
import type { SubnetState, TargetState } from '../model/snapshot.ts';

/** Caches a value per state of a subnet, because each of its nodes needs it. */
function once<Value>(compute: (subnet: SubnetState) => Value): (subnet: SubnetState) => Value {
  const known = new WeakMap<SubnetState, { readonly value: Value }>();
  return (subnet) => {
    const { value } = known.get(subnet) ?? { value: compute(subnet) };
    known.set(subnet, { value });
    return value;
  };
}

/** The nodes of a subnet. */
export const nodesOf = once(({ targets }): readonly TargetState[] =>
  targets.filter(({ target }) => target.component === 'node'),
);

/** The node's height at its last probe. */
export const heightOf = ({ facts: { node } }: TargetState): number | undefined =>
  node?.observation.latest.ok ? node.observation.latest.value.number : undefined;

/** The greatest height of the nodes at their last probes; undefined when none returned one. */
export const highestOf = once((subnet): number | undefined => {
  const highest = Math.max(...nodesOf(subnet).map((node) => heightOf(node) ?? -1));
  return highest < 0 ? undefined : highest;
});

/** The number of nodes that answered no JSON-RPC call. */
export const countSilent = once(
  (subnet) => nodesOf(subnet).filter(({ facts }) => facts.node?.observation.answered === false).length,
);

/** Did the height rise or fall within the last `ms`? */
export const movedWithin = (height: Progress | undefined, now: number, ms: number): boolean =>
  height !== undefined &&
  ((height.risen && now - height.advancedAt < ms) || (height.fall !== undefined && now - height.fall.at < ms));

/** Did the node's log show a greater height within the last `ms`? */
export const logRoseWithin = ({ facts }: TargetState, now: number, ms: number): boolean =>
  facts.logs?.node?.advancedAt !== undefined && now - facts.logs.node.advancedAt < ms;
