import type { ChainView } from './chain-view.ts';
import { fails, type NodeView } from './subnet-view.ts';

/** What a node says within this time of its start says nothing about its votes. */
const SETTLED_MS = 60_000;

/** The newest rounds that count, in rounds for each masternode. */
const RECENT_ROUNDS = 5;

/** One missed round may be chance. */
const MIN_MISSED = 2;

const chainOf = ({ state }: NodeView) => state.facts.node?.chain;

/** The addresses that are missing in every round of every pool. */
function findNeverSigned(witnesses: readonly NodeView[]): ReadonlySet<string> {
  let all: readonly string[] | undefined;
  for (const node of witnesses) {
    const { voteRounds = 0, neverSigned = [] } = chainOf(node)?.observation.pool ?? {};
    if (voteRounds === 0) continue;
    all = all?.filter((address) => neverSigned.includes(address)) ?? neverSigned;
    if (all.length === 0) break;
  }
  return new Set(all);
}

/** How many of its newest rounds each address missed, by all nodes together. */
function countMissed(
  witnesses: readonly NodeView[],
  addresses: readonly string[],
  oldest: number,
): ReadonlyMap<string, number> {
  const counts = new Map(addresses.map((address) => [address, 0]));
  const counted = new Set<number>();
  for (const node of witnesses)
    for (const { round, miner } of chainOf(node)?.observation.missedRounds?.rounds ?? []) {
      // Thousands of nodes list the same rounds, and a number is found faster than an address.
      if (round < oldest || counted.has(round)) continue;
      counted.add(round);
      const count = counts.get(miner);
      if (count !== undefined) counts.set(miner, count + 1);
    }
  return counts;
}

function isSettled(node: NodeView): boolean {
  const startedAt = node.container.kind === 'running' ? node.container.container.startedAt : undefined;
  const at = chainOf(node)?.at;
  return at !== undefined && (startedAt === undefined || at - startedAt >= SETTLED_MS);
}

/**
 * Masternodes whose node runs while nobody has a vote of theirs and their rounds bring no block: how many of its newest rounds
 * each missed, by address. A pool stops at the quorum, so who is missing in one round may have voted.
 */
export function findSilentVoters(
  nodes: readonly NodeView[],
  { masternodes, nameOf }: ChainView,
): ReadonlyMap<string, number> {
  if (masternodes === undefined) return new Map();
  const witnesses = nodes.filter(({ isOut }) => !isOut);
  const oldest = masternodes.round - RECENT_ROUNDS * masternodes.active.length;
  const neverSigned = findNeverSigned(witnesses);
  if (neverSigned.size === 0) return new Map();
  const byName = new Map(witnesses.map((node) => [node.name, node]));
  const silent = [...neverSigned].filter((address) => {
    const node = byName.get(nameOf.get(address) ?? '');
    if (node === undefined || node.isStarting || !isSettled(node) || !masternodes.active.includes(address))
      return false;
    // A node that is behind cannot vote, and is said as that.
    return !fails(node.state, 'latest_block');
  });
  const missed = silent.length === 0 ? new Map<string, number>() : countMissed(witnesses, silent, oldest);
  return new Map([...missed].filter(([, count]) => count >= MIN_MISSED));
}
