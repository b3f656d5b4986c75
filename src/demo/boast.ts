import { branchOf } from './branch.ts';
import { COMMIT_DISTANCE } from './chain.ts';
import type { NodeView } from './simulated-subnet.ts';

/** A liar's height is this far above the real one. */
export const BOAST_BLOCKS = 1_000_000;

/** What a node says that claims blocks which nobody has; it follows the chain, and its log tells so. */
export const boast = (view: NodeView): NodeView => {
  const head = view.head + BOAST_BLOCKS;
  return {
    ...view,
    chain: branchOf(view.chain, view.head + 1, view.identity.name),
    head,
    highest: head,
    committed: head - COMMIT_DISTANCE,
  };
};
