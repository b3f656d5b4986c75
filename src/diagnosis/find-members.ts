import type { Member } from '../model/snapshot.ts';
import type { NodeView, SubnetView } from './subnet-view.ts';

function toMember({ name, state, isForeign }: NodeView, { chain: { chain, masternodes } }: SubnetView): Member {
  const own = state.facts.node?.chain?.observation;
  const known = own !== undefined && chain !== undefined && (own.genesis !== undefined || own.chainId !== undefined);
  const base: Member = { name, ...(known && { isOnChain: !isForeign }) };
  const address = own?.address;
  if (masternodes === undefined || address === undefined || isForeign) return base;
  const isPenalised = masternodes.penalised.includes(address);
  return isPenalised || masternodes.active.includes(address) ? { ...base, address, isPenalised } : base;
}

/** The rounds that each address missed in the epoch, by the node that knows of most. */
function countMissedRounds({ nodes }: SubnetView): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { state, isForeign } of nodes)
    for (const [address, count] of Object.entries(
      isForeign ? {} : (state.facts.node?.chain?.observation.missedRounds?.byMiner ?? {}),
    ))
      counts.set(address, Math.max(counts.get(address) ?? 0, count));
  return counts;
}

/** What is known of each node as a member of the chain. */
export function findMembers(view: SubnetView): readonly Member[] {
  const missed = countMissedRounds(view);
  const isKnown = view.nodes.some(({ state }) => state.facts.node?.chain?.observation.missedRounds !== undefined);
  return view.nodes.map((node) => {
    const member = toMember(node, view);
    if (member.address === undefined || !isKnown) return member;
    return { ...member, missedRounds: missed.get(member.address) ?? 0 };
  });
}
