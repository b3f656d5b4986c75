import type { SubnetState, TargetState } from '../model/snapshot.ts';

/** Caches a value per state of a subnet, because each of its nodes needs it. */
function oncePerState<Value>(compute: (subnet: SubnetState) => Value): (subnet: SubnetState) => Value {
  const known = new WeakMap<SubnetState, { readonly value: Value }>();
  return (subnet) => {
    const { value } = known.get(subnet) ?? { value: compute(subnet) };
    known.set(subnet, { value });
    return value;
  };
}

/** The nodes of a subnet. */
export const nodesOf = oncePerState(({ targets }): readonly TargetState[] =>
  targets.filter(({ target }) => target.component === 'node'),
);

/** The node's height at its last probe. */
export const heightOf = ({ facts: { node } }: TargetState): number | undefined =>
  node?.observation.latest.ok ? node.observation.latest.value.number : undefined;

/** The greatest height of the nodes at their last probes; undefined when none returned one. */
export const highestOf = oncePerState((subnet): number | undefined => {
  const highest = Math.max(...nodesOf(subnet).map((node) => heightOf(node) ?? -1));
  return highest < 0 ? undefined : highest;
});

/** The number of nodes that answered no JSON-RPC call. */
export const countSilent = oncePerState(
  (subnet) => nodesOf(subnet).filter(({ facts }) => facts.node?.observation.answered === false).length,
);
