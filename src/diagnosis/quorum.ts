import type { Quorum } from '../model/snapshot.ts';
import type { SubnetView } from './subnet-view.ts';

/** The share of votes that the chain asks for by default. */
const THRESHOLD = 0.667;

/** How many masternodes must vote for a block. The chain compares in floating point: votes >= masternodes × threshold. */
export const requiredVotes = (masternodes: number, threshold = THRESHOLD): number => Math.ceil(masternodes * threshold);

/** How many masternodes do not vote for sure: their nodes are out, or nobody has a vote of theirs. */
function countSilent({ nodes, chain, silentVoters }: SubnetView, active: readonly string[]): number {
  const outNames = new Set(nodes.filter(({ isOut, isStarting }) => isOut && !isStarting).map(({ name }) => name));
  return active.filter((address) => outNames.has(chain.nameOf.get(address) ?? '') || silentVoters.has(address)).length;
}

/**
 * Who must vote and who does. Without the members from the chain, each node of the inventory counts as one. A masternode
 * that the inventory does not list counts as voting.
 */
export function findQuorum(view: SubnetView): Quorum | undefined {
  const { nodes, chain } = view;
  const { masternodes, consensus } = chain;
  if (masternodes === undefined || masternodes.active.length === 0) {
    if (nodes.length === 0) return undefined;
    const out = nodes.filter(({ isOut, isStarting }) => isOut && !isStarting).length;
    return { total: nodes.length, required: requiredVotes(nodes.length), voting: nodes.length - out };
  }
  const total = masternodes.active.length;
  return {
    total,
    required: requiredVotes(total, consensus?.certificateThreshold),
    voting: total - countSilent(view, masternodes.active),
  };
}

/** The height that at least half of the nodes on the chain have reached. */
export function findReference({ nodes }: SubnetView): number | undefined {
  const heights = nodes.flatMap(({ height, isForeign }) => (height && !isForeign ? [height.number] : []));
  heights.sort((one, other) => other - one);
  return heights[Math.floor((heights.length - 1) / 2)];
}
