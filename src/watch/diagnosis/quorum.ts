import type { Progress } from '../../model/facts.ts';
import type { Quorum } from '../../model/snapshot.ts';
import type { ChainView } from './chain-view.ts';
import { isMissing, type NodeView, type SubnetView } from './subnet-view.ts';

/** The share of votes that the chain asks for by default. */
const THRESHOLD = 0.667;

/** How many masternodes must vote for a block. The chain compares in floating point: votes >= masternodes × threshold. */
export const requiredVotes = (masternodes: number, threshold = THRESHOLD): number => Math.ceil(masternodes * threshold);

/**
 * How many masternodes do not vote for sure: their nodes are out, or nobody has a vote of theirs, whoever runs them. A node that is
 * out and has never given its address is taken for one of the masternodes without a name.
 */
function countSilent({ nodes, masters, silentVoters }: Voters, active: readonly string[]): number {
  let silent = 0;
  let nameless = 0;
  for (const address of active) {
    const node = masters.get(address);
    if (silentVoters.has(address) || (node && isMissing(node))) silent += 1;
    else if (node === undefined) nameless += 1;
  }
  if (nameless === 0) return silent;
  const unnamed = nodes.filter(
    (node) => isMissing(node) && (node.isForeign || node.chainFacts?.observation.address === undefined),
  );
  return silent + Math.min(nameless, unnamed.length);
}

/** How many of the masternodes that can vote have just started. */
function countStarting(nodes: readonly NodeView[]): Pick<Quorum, 'starting'> {
  const starting = nodes.filter((node) => node.isStarting && !node.isForeign).length;
  return starting === 0 ? {} : { starting };
}

/** What the quorum is found by. */
type Voters = Pick<SubnetView, 'nodes' | 'chain' | 'masters' | 'silentVoters'>;

/**
 * Who must vote and who does. Without the members from the chain, each node of the inventory counts as one, and so does each peer
 * that a node expects beside them. A masternode that the inventory does not list counts as voting while it signs.
 */
export function findQuorum(voters: Voters): Quorum | undefined {
  const { nodes, chain } = voters;
  const { masternodes, consensus } = chain;
  if (masternodes === undefined || masternodes.active.length === 0) {
    if (nodes.length === 0) return undefined;
    const missing = nodes.filter(isMissing).length;
    // A node that expects more peers than the inventory has knows of others.
    const total = Math.max(nodes.length, ...nodes.map(({ target }) => target.expectedPeers + 1));
    return { total, required: requiredVotes(total), voting: total - missing, ...countStarting(nodes) };
  }
  const total = masternodes.active.length;
  const signing = masternodes.active.flatMap((address) =>
    voters.silentVoters.has(address) ? [] : (voters.masters.get(address) ?? []),
  );
  return {
    total,
    required: requiredVotes(total, consensus?.certificateThreshold),
    voting: total - countSilent(voters, masternodes.active),
    ...countStarting(signing),
  };
}

/** Whether a node is below the others. One at their height or above may still vote. */
const isBelow = ({ height }: NodeView, reference = Number.NEGATIVE_INFINITY): boolean =>
  height !== undefined && height.number < reference;

/** Whether a node may be a masternode: it is one, or it has given no address and there is one that is not a node's. */
export function createIsVoter({ chain: { masternodes }, masters }: SubnetView): (node: NodeView) => boolean {
  const active = new Set(masternodes?.active);
  const hasNameless = [...active].some((address) => !masters.has(address));
  return (node) => {
    const address = node.chainFacts?.observation.address;
    if (active.size === 0) return true;
    // One on another chain is not a master, and is missed all the same.
    return address === undefined ? hasNameless : active.has(address) && (masters.get(address) ?? node) === node;
  };
}

/** The nodes that take part, but not yet in the next block: they stand still or catch up. After a halt there are none. */
export function findIdle(view: SubnetView, isAfterHalt: boolean): readonly NodeView[] {
  if (isAfterHalt) return [];
  const isIdle = (node: NodeView) =>
    !node.isOut && !node.isStarting && (node.isStalled || (isBelow(node, view.reference) && !node.isWitness));
  const idle = view.nodes.filter(isIdle);
  return idle.length === 0 ? idle : idle.filter(createIsVoter(view));
}

/** The quorum without these nodes. The chain has gone on without them, so they alone leave no fewer than needed. */
export const withoutIdle = (quorum: Quorum, idle: readonly NodeView[]): Quorum =>
  idle.length === 0
    ? quorum
    : { ...quorum, voting: Math.max(quorum.voting - idle.length, Math.min(quorum.voting, quorum.required)) };

/** How many masternodes that are down may follow each other in turn, before a stall is assumed. */
const MAX_TURNS = 4;
const SPARE_BLOCKS = 4;

/**
 * How long the chain may go without a block: each masternode that is down costs a timeout, and so does the round that it
 * breaks. Timeouts in a row may grow. Undefined until the chain has given its periods.
 */
export function findStallMs({ consensus, masternodes }: ChainView): number | undefined {
  if (consensus === undefined || masternodes === undefined) return undefined;
  const { minePeriodMs, timeoutPeriodMs, certificateThreshold, timeoutBase = 1, timeoutMaxExponent = 0 } = consensus;
  const total = masternodes.active.length;
  const mayLose = Math.min(total - requiredVotes(total, certificateThreshold), MAX_TURNS);
  const timeouts = Array.from(
    { length: mayLose + 1 },
    (_, before) => timeoutBase ** Math.min(before, timeoutMaxExponent),
  );
  return timeouts.reduce((sum, one) => sum + one * timeoutPeriodMs, 0) + SPARE_BLOCKS * minePeriodMs;
}

/** The height that at least half of the nodes have reached, by those of all nodes on the chain. */
export const findReference = (heights: readonly Pick<Progress, 'number'>[]): number | undefined =>
  new Float64Array(heights.map(({ number }) => number)).sort()[Math.floor(heights.length / 2)];
