import type { ChainView } from './chain-view.ts';
import { fails, type NeverSigned, type NodeView } from './subnet-view.ts';

/** What a node says in the first minute after its start shows nothing of its votes. */
const FIRST_VOTES_MS = 60_000;

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

/** How many of its newest rounds each address missed, by all nodes together. */
function countMissed(
  witnesses: readonly NodeView[],
  addresses: readonly string[],
  oldest: number,
): ReadonlyMap<string, number> {
  // Equal lists are the same object (createSharing), and most nodes list the same rounds.
  const lists = new Set(witnesses.map(({ chainFacts }) => chainFacts?.epoch.missedRounds?.rounds ?? []));
  const minerOf = new Map([...lists].flatMap((rounds) => rounds.map(({ round, miner }) => [round, miner])));
  const missed = [...minerOf].filter(([round]) => round >= oldest).map(([, miner]) => miner);
  return new Map(addresses.map((address) => [address, missed.filter((one) => one === address).length]));
}

/** Whether a node was asked about its chain long enough after its start. */
function showsVotes({ container, chainFacts }: NodeView): boolean {
  const startedAt = container.kind === 'running' ? container.container.startedAt : undefined;
  return chainFacts !== undefined && (startedAt === undefined || chainFacts.at - startedAt >= FIRST_VOTES_MS);
}

/** Each node is asked for its pool within a minute, and a pool goes back for up to two more while rounds bring no block. */
const POOLS_KNOWN_MS = 3 * 60_000;

/** The keys of masternodes that a node has exchanged for another one, and that none has now. Older pools have their votes. */
function findLeft(
  nodes: readonly NodeView[],
  active: readonly string[],
  masters: ReadonlyMap<string, NodeView>,
  { addresses }: NeverSigned,
  now: number,
): readonly string[] {
  return nodes
    .flatMap(({ chainFacts }) => chainFacts?.keyBefore ?? [])
    .filter(({ address }) => !masters.has(address) && active.includes(address))
    .filter(({ address, at }) => now - at < POOLS_KNOWN_MS || addresses.has(address))
    .map(({ address }) => address);
}

/**
 * Masternodes whose votes no node has, and whose own rounds bring no block: by address, how many of its newest rounds each missed.
 * Their nodes run, or are not in the inventory. A pool stops at the quorum, so one that is missing in a round may have voted.
 */
export function findSilentVoters(
  nodes: readonly NodeView[],
  { masternodes }: ChainView,
  masters: ReadonlyMap<string, NodeView>,
  neverSigned: NeverSigned,
  now: number,
): ReadonlyMap<string, number> {
  if (masternodes === undefined) return new Map();
  const { addresses } = neverSigned;
  const left = findLeft(nodes, masternodes.active, masters, neverSigned, now);
  if (addresses.size + left.length === 0) return new Map();
  const oldest = masternodes.round - RECENT_ROUNDS * masternodes.active.length;
  // A node that is just back has not said its address yet, so any key without a node may be its own.
  const isOneBack = nodes.some(({ isStarting, chainFacts }) => isStarting && chainFacts === undefined);
  const silent = [...addresses].filter((address) => {
    const node = masters.get(address);
    if (node === undefined && isOneBack) return false;
    if (node !== undefined && (node.isOut || node.isStarting || !showsVotes(node))) return false;
    // A node that is behind cannot vote. That is a problem of its own.
    return masternodes.active.includes(address) && !(node && fails(node, 'latest_block'));
  });
  if (silent.length + left.length === 0) return new Map();
  const witnesses = nodes.filter(({ isOut }) => !isOut);
  const missed = countMissed(witnesses, [...silent, ...left], oldest);
  return new Map([...missed].filter(([address, count]) => count >= MIN_MISSED || left.includes(address)));
}
