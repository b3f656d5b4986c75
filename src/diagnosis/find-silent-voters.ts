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
  const pools = witnesses
    .flatMap((node) => chainOf(node)?.observation.pool ?? [])
    .filter(({ voteRounds }) => voteRounds > 0);
  const [first, ...others] = pools;
  const all = others.map(({ neverSigned }) => new Set(neverSigned));
  return new Set((first?.neverSigned ?? []).filter((address) => all.every((set) => set.has(address))));
}

/** How many of its newest rounds an address missed, by the node that knows of most. */
const countMissed = (witnesses: readonly NodeView[], address: string, oldest: number): number =>
  Math.max(
    0,
    ...witnesses.map(
      (node) =>
        chainOf(node)?.observation.missedRounds?.rounds.filter(
          ({ round, miner }) => miner === address && round >= oldest,
        ).length ?? 0,
    ),
  );

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
  const silent = [...findNeverSigned(witnesses)].flatMap((address) => {
    const node = witnesses.find(({ name, isStarting }) => !isStarting && name === nameOf.get(address));
    if (node === undefined || !isSettled(node) || !masternodes.active.includes(address)) return [];
    // A node that is behind cannot vote, and is said as that.
    if (fails(node.state, 'latest_block')) return [];
    const missed = countMissed(witnesses, address, oldest);
    return missed >= MIN_MISSED ? [[address, missed] as const] : [];
  });
  return new Map(silent);
}
