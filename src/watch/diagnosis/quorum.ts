import { collect } from '../../lib/values.ts';
import { listEach, shorten } from '../../lib/words.ts';
import { type Masternodes, timeoutMs } from '../../model/chain.ts';
import type { NextSet, Presence } from '../../model/next-set.ts';
import type { Problem } from '../../model/problem.ts';
import { START_MS } from '../../model/restart-cause.ts';
import { countReserve, type Quorum } from '../../model/snapshot.ts';
import type { ChainView } from './chain-view.ts';
import { fails, isMissing, type NeverSigned, type NodeView, type SubnetView, startedAtOf } from './subnet-view.ts';

/** The newest rounds that count, in rounds for each masternode. */
const RECENT_ROUNDS = 5;

/** One missed round may be chance. */
const MIN_MISSED = 2;

/** The addresses that are missing in every round of every pool of a node that takes part. */
export function findNeverSigned(nodes: readonly NodeView[]): NeverSigned {
  const pools = nodes.flatMap(({ chainFacts, isOut }) => (isOut ? [] : (chainFacts?.observation.pool ?? [])));
  const used = pools.filter(({ voteRounds }) => voteRounds > 0);
  // Equal lists are the same object (createSharing).
  const [first = [], ...others] = [...new Set(used.map(({ neverSigned }) => neverSigned))];
  const addresses = first.filter((address) => others.every((other) => other.includes(address)));
  return { addresses: new Set(addresses), rounds: Math.max(0, ...used.map(({ voteRounds }) => voteRounds)) };
}

/** How many of its newest rounds each address missed, by all nodes together that take part. */
function countMissed(nodes: readonly NodeView[], addresses: readonly string[], { round: newest, active }: Masternodes) {
  const oldest = newest - RECENT_ROUNDS * active.length;
  const witnesses = nodes.filter(({ isOut }) => !isOut);
  // Equal lists are the same object (createSharing), and most nodes list the same rounds.
  const lists = new Set(witnesses.map(({ chainFacts }) => chainFacts?.epoch.missedRounds?.rounds ?? []));
  const minerOf = new Map([...lists].flatMap((rounds) => rounds.map(({ round, miner }) => [round, miner])));
  const missed = [...minerOf].filter(([round]) => round >= oldest).map(([, miner]) => miner);
  return new Map(addresses.map((address) => [address, missed.filter((one) => one === address).length]));
}

/** How long a node had run when it last spoke of its chain. Below 0 that was in a run before, perhaps with another key. */
const ranWhenAsked = (node: NodeView): number => (node.chainFacts?.at ?? -Infinity) - (startedAtOf(node) ?? 0);

/** Each node is asked for its pool within a minute, and a pool goes back for up to two more while rounds bring no block. */
const POOLS_KNOWN_MS = 3 * 60_000;

/**
 * Masternodes whose votes no node has, and whose own rounds bring no block: by address, how many of its newest rounds each missed.
 * Their nodes run, or are not in the inventory. A pool stops at the quorum, so one that is missing in a round may have voted.
 * `isKeyLost`: it is known already that a key has no node. Nobody has missed a round yet when an epoch begins.
 */
export function findSilentVoters(
  { nodes, chain, masters, neverSigned }: Pick<SubnetView, 'nodes' | 'chain' | 'masters' | 'neverSigned'>,
  isKeyLost: boolean,
  now: number,
): ReadonlyMap<string, number> {
  const { masternodes } = chain;
  const { addresses } = neverSigned;
  if (masternodes === undefined) return new Map();
  // The keys of masternodes that a node has exchanged for another one, and that none has now. Older pools have their votes.
  const left = collect(nodes, (node) => {
    const { address, at } = node.chainFacts?.keyBefore ?? {};
    if (address === undefined || at === undefined || masters.has(address) || ranWhenAsked(node) < 0) return undefined;
    const isShown = now - at < POOLS_KNOWN_MS || addresses.has(address);
    return isShown && masternodes.active.includes(address) ? address : undefined;
  });
  // A node that is just back has not said its address yet, so any key without a node may be its own.
  const isOneBack = nodes.some((node) => node.isStarting && ranWhenAsked(node) < 0);
  const silent = [...addresses].filter((address) => {
    const node = masters.get(address);
    if (!masternodes.active.includes(address)) return false;
    if (node === undefined) return !isOneBack;
    // What it says of its chain in its first minute shows nothing of its votes. If it is behind, that is a problem of its own.
    return ranWhenAsked(node) >= START_MS && !node.isOut && !node.isStarting && !fails(node, 'latest_block');
  });
  const missed = countMissed(nodes, [...silent, ...left], masternodes);
  const isLost = (address: string) => left.includes(address) || (isKeyLost && !masters.has(address));
  return new Map([...missed].filter(([address, count]) => count >= MIN_MISSED || isLost(address)));
}

/** How many masternodes must vote for a block. The chain compares in floating point: votes >= masternodes × threshold. */
export const requiredVotes = (masternodes: number, threshold = 0.667): number => Math.ceil(masternodes * threshold);

/** The masternodes whose key no node has, and which node had it, as far as that is known. */
export const describeOrphans = ({ orphans, nodes }: Pick<SubnetView, 'orphans' | 'nodes'>): readonly string[] =>
  orphans.map((address) => {
    const had = nodes.find(({ chainFacts }) => chainFacts?.keyBefore?.address === address);
    return `${shorten(address)} (no node has its key${had ? `, which ${had.name} had` : ''})`;
  });

/** The nodes whose key is that of no masternode, although each node of the inventory could be one. */
export function findStrangers({ nodes, chain }: Pick<SubnetView, 'nodes' | 'chain'>): readonly NodeView[] {
  const { active = [], penalised = [], standby = [] } = chain.masternodes ?? {};
  const known = new Set([undefined, ...active, ...penalised, ...standby]);
  return nodes.filter(({ address, isForeign }) => !isForeign && !known.has(address));
}

/** Whether a node may have any key: it has never given its address, that is the one of another node, or it changes its keys and is back. */
const isUnnamed = ({ masters }: Pick<VoteFacts, 'masters'>, node: NodeView): boolean =>
  node.address === undefined ||
  (masters.get(node.address) ?? node) !== node ||
  (node.chainFacts?.keyBefore !== undefined && ranWhenAsked(node) < 0 && !masters.has(node.address));

/** Whether a node has just started, and does not answer or rise with the chain yet, or may end again as it did before. */
export const isToJoin = ({ isStarting, isForeign, isOut, takesBlocks, crashes }: NodeView): boolean =>
  isStarting && !isForeign && (isOut || !takesBlocks || crashes);

/** The signing masternodes that no known node claims, and how many nodes may be one of them that are out or have just started. */
export function findNameless(voters: VoteFacts, active: readonly string[]) {
  const { nodes, masters, silentVoters } = voters;
  const addresses = active.filter((address) => !silentVoters.has(address) && !masters.has(address));
  const mayBeOne = addresses.length === 0 ? [] : nodes.filter((node) => node.isForeign || isUnnamed(voters, node));
  return { addresses, nodesOut: mayBeOne.filter(isMissing).length, nodesToJoin: mayBeOne.filter(isToJoin).length };
}

export type VoteFacts = Pick<SubnetView, 'nodes' | 'chain' | 'masters' | 'silentVoters'>;

/** The votes of a set of masternodes: none of one whose node is out, nor of one of which nobody has a vote, whoever runs it. */
function countVotes({ chain, masters, silentVoters }: VoteFacts, set: readonly string[]) {
  const present = set.filter((address) => {
    const node = masters.get(address);
    return !silentVoters.has(address) && !(node && isMissing(node));
  });
  const toJoin = present.flatMap((address) => masters.get(address) ?? []).filter(isToJoin);
  const required = requiredVotes(set.length, chain.consensus?.certificateThreshold);
  // Blocks that come since they started need the votes even of those that are known to crash.
  const areNeeded = present.length - toJoin.length < required;
  const starting = areNeeded ? toJoin.filter(({ takesBlocks, isOut }) => isOut || !takesBlocks) : toJoin;
  return { total: set.length, required, voting: present.length, starting: starting.length };
}

/**
 * Who must vote and who does. Without the members from the chain, each node of the inventory counts as one, and so does each peer
 * that a node expects beside them. A masternode that the inventory does not list counts as voting while it signs.
 */
export function findQuorum(voters: VoteFacts): Quorum | undefined {
  const { nodes, chain } = voters;
  const { active = [] } = chain.masternodes ?? {};
  if (active.length === 0) {
    if (nodes.length === 0) return undefined;
    // A node that expects more peers than the inventory has knows of others.
    const total = Math.max(nodes.length, ...nodes.map(({ target }) => target.expectedPeers + 1));
    const starting = nodes.filter(isToJoin).length || undefined;
    return { total, required: requiredVotes(total), voting: total - nodes.filter(isMissing).length, starting };
  }
  const votes = countVotes(voters, active);
  const { addresses, nodesOut, nodesToJoin } = findNameless(voters, active);
  // A node that is out, or has just started, and may have any key is taken for one of the masternodes without a name.
  const namelessOut = Math.min(addresses.length, nodesOut);
  const starting = votes.starting + Math.min(nodesToJoin, addresses.length - namelessOut) || undefined;
  return { ...votes, voting: votes.voting - namelessOut, starting };
}

/** What the votes of the next set are, if all go on as they do. Those that have just started do not take part yet, nor those that are idle. */
export function countNextVotes(view: SubnetView, { active, isChosen }: NextSet) {
  const { voting, starting, ...votes } = countVotes(view, active);
  const { addresses, nodesOut } = findNameless(view, active);
  const present = voting - starting - Math.min(addresses.length, nodesOut);
  const idle = findIdle(view, view.before.values).filter(({ address = '' }) => active.includes(address));
  return { ...withoutIdle({ ...votes, voting: present }, idle), isChosen };
}

/** One that has been back for as long has signed something that a reading shows (next-set-source.ts). */
const SIGNS_WITHIN_MS = 150_000;

/**
 * What is known of a masternode now, beside its transactions: it is out, or has run for so long only. One that has answered since
 * turns were counted, at `countedAt`, may have taken its own until then, which the next count shows.
 */
export const presenceBy =
  (view: Pick<SubnetView, 'masters' | 'silentVoters'>, countedAt: number, now: number) =>
  (address: string): Presence => {
    const node = view.masters.get(address);
    const { lastGoodAt = 0 } = node?.state.facts.node?.latest ?? {};
    if (view.silentVoters.has(address) || (node && isMissing(node) && lastGoodAt <= countedAt)) return 'out';
    const startedAt = node && !node.isOut ? startedAtOf(node) : undefined;
    return startedAt !== undefined && now - startedAt < SIGNS_WITHIN_MS ? now - startedAt : undefined;
  };

/** The nodes that may be masternodes: each that is one, and those that have given no address while there is one that is not a node's. */
export function listVoters({ nodes, chain: { masternodes }, masters }: VoteFacts): readonly NodeView[] {
  const active = new Set(masternodes?.active);
  if (active.size === 0) return nodes;
  const hasNameless = [...active].some((address) => !masters.has(address));
  return nodes.filter((node) => {
    const { address } = node;
    // One on another chain is not a master, and is missed all the same.
    return address === undefined ? hasNameless : active.has(address) && (masters.get(address) ?? node) === node;
  });
}

/** What limits how many of these nodes, which are out, can vote: more of them have given no address than masternodes are nobody's. */
export function describeUntold(view: SubnetView, out: readonly NodeView[]): string {
  const { addresses } = findNameless(view, view.chain.masternodes?.active ?? []);
  const untold = out.filter(({ address }) => address === undefined);
  if (addresses.length === 0 || untold.length <= addresses.length) return '';
  return `, and at most ${addresses.length} of ${listEach(untold, ({ name }) => name)} ${addresses.length === 1 ? 'is a masternode' : 'are masternodes'}`;
}

/** The nodes that take part, but not yet in the next block, by the problems of the subnet: stalled, behind or on a branch; none after a halt. */
export function findIdle(view: SubnetView, problems: readonly Problem[] = []): readonly NodeView[] {
  if (problems.some(({ problem }) => problem === 'subnet_halted')) return [];
  const fork = problems.find(({ problem, state }) => problem === 'chain_forked' && state !== 'clearing');
  // One at the height of the others or above may still vote.
  const isBehind = ({ height, isWitness }: NodeView) =>
    height !== undefined && height.number < (view.reference ?? height.number) && !isWitness;
  const isForked = ({ name, address = '' }: NodeView) => fork?.nodes?.includes(name) && !view.silentVoters.has(address);
  const isIdle = (node: NodeView) =>
    !node.isOut && !node.isStarting && (node.isStalled || isBehind(node) || isForked(node));
  return view.voters.filter(isIdle);
}

/** The quorum without these nodes. The chain has gone on without them, so they alone leave no fewer than needed. */
export const withoutIdle = (quorum: Quorum, { length }: readonly NodeView[]): Quorum => ({
  ...quorum,
  voting: Math.max(quorum.voting - length, Math.min(quorum.voting, quorum.required)),
});

/** The votes, of which so many are in doubt. Blocks come, so as many vote as are needed. */
export const withDoubtful = <Votes extends Quorum>(votes: Votes, doubtful: number): Votes => ({
  ...votes,
  doubtful: Math.max(0, Math.min(doubtful, countReserve(votes))) || undefined,
});

/** How many masternodes that are down may follow each other in turn, before a stall is assumed. */
const MAX_TURNS = 4;
const SPARE_BLOCKS = 4;

/** How long the chain may go without a block: each masternode that is down costs a timeout, and so does the round that it breaks. */
export function findStallMs({ consensus, masternodes }: ChainView): number | undefined {
  if (consensus === undefined || masternodes === undefined) return undefined;
  const total = masternodes.active.length;
  const mayLose = Math.min(total - requiredVotes(total, consensus.certificateThreshold), MAX_TURNS);
  let stallMs = SPARE_BLOCKS * consensus.minePeriodMs;
  for (let before = 0; before <= mayLose; before += 1) stallMs += timeoutMs(consensus, before);
  return stallMs;
}
