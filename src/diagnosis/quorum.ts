import type { Quorum } from '../model/snapshot.ts';
import type { ChainView } from './chain-view.ts';
import type { NodeView, SubnetView } from './subnet-view.ts';

/** The share of votes that the chain asks for by default. */
const THRESHOLD = 0.667;

/** How many masternodes must vote for a block. The chain compares in floating point: votes >= masternodes × threshold. */
export const requiredVotes = (masternodes: number, threshold = THRESHOLD): number => Math.ceil(masternodes * threshold);

/**
 * How many masternodes do not vote for sure: their nodes are out, or nobody has a vote of theirs. A node that is out and has
 * never given its address is taken for one of the masternodes without a name.
 */
function countSilent({ nodes, chain, silentVoters }: SubnetView, active: readonly string[]): number {
  const out = nodes.filter(({ isOut, isStarting }) => isOut && !isStarting).map(({ name }) => name);
  if (out.length === 0 && silentVoters.size === 0) return 0;
  const outNames = new Set(out);
  const named = new Set(chain.nameOf.values());
  const silent = active.filter((address) => outNames.has(chain.nameOf.get(address) ?? '') || silentVoters.has(address));
  const nameless = active.filter((address) => !chain.nameOf.has(address));
  return silent.length + Math.min(nameless.length, out.filter((name) => !named.has(name)).length);
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

/** How many masternodes that are down may follow each other in turn, before a stall is assumed. */
const MAX_TURNS = 4;
const SPARE_BLOCKS = 4;

/**
 * How long the chain may go without a block: each masternode that is down costs a timeout, and so does the round that it
 * breaks. Undefined until the chain has given its periods.
 */
export function findStallMs({ consensus, masternodes }: ChainView): number | undefined {
  if (consensus === undefined || masternodes === undefined) return undefined;
  const { minePeriodMs, timeoutPeriodMs, certificateThreshold } = consensus;
  const total = masternodes.active.length;
  const mayLose = Math.min(total - requiredVotes(total, certificateThreshold), MAX_TURNS);
  return (mayLose + 1) * timeoutPeriodMs + SPARE_BLOCKS * minePeriodMs;
}

/** The height that at least half of the nodes on the chain have reached. */
export function findReference(nodes: readonly Pick<NodeView, 'height' | 'isForeign'>[]): number | undefined {
  const heights = new Float64Array(nodes.length);
  let count = 0;
  for (const { height, isForeign } of nodes) {
    if (height === undefined || isForeign) continue;
    heights[count] = height.number;
    count += 1;
  }
  return heights.subarray(0, count).sort()[Math.floor(count / 2)];
}
