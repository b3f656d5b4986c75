import type { SubnetFacts, SubnetObservation, SubnetObservations, SubnetProbeKind } from '../../model/subnet-facts.ts';
import { foldParent } from './fold-parent.ts';

/** The watched time of an observation, and the same in Unix milliseconds. */
interface Context {
  readonly at: number;
  readonly wallMs: number;
}

/** How each kind of observation of a subnet as a whole is folded into the previous facts. */
const folds: {
  readonly [Kind in SubnetProbeKind]: (
    before: SubnetFacts[Kind],
    seen: SubnetObservations[Kind],
    context: Context,
  ) => SubnetFacts[Kind];
} = {
  parent: foldParent,
  setup: (_, observation, { at }) => ({ observation, at }),
};

/** Folds an observation into the facts of its subnet. */
export const foldSubnet = <Kind extends SubnetProbeKind>(
  facts: SubnetFacts,
  one: SubnetObservation<Kind>,
  context: Context,
): SubnetFacts => ({ ...facts, [one.kind]: folds[one.kind](facts[one.kind], one.seen, context) });
