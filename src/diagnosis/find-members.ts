import type { Member } from '../model/snapshot.ts';
import type { Chain } from './chain-view.ts';
import type { NodeView, SubnetView } from './subnet-view.ts';

/** The masternodes by address, and those that the chain has left out of its rounds. */
interface Masters {
  readonly active: ReadonlySet<string>;
  readonly penalised: ReadonlySet<string>;
}

function toMember({ name, state, isForeign }: NodeView, chain: Chain | undefined, masters?: Masters): Member {
  const own = state.facts.node?.chain?.observation;
  const known = own !== undefined && chain !== undefined && (own.genesis !== undefined || own.chainId !== undefined);
  const base: Member = { name, ...(known && { isOnChain: !isForeign }) };
  const address = own?.address;
  if (masters === undefined || address === undefined || isForeign) return base;
  const isPenalised = masters.penalised.has(address);
  return isPenalised || masters.active.has(address) ? { ...base, address, isPenalised } : base;
}

/** The rounds that each address missed in the epoch, by the node that knows of most. */
function countMissedRounds({ nodes }: SubnetView): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { state, isForeign } of nodes) {
    const byMiner = isForeign ? undefined : state.facts.node?.chain?.observation.missedRounds?.byMiner;
    for (const address in byMiner) counts.set(address, Math.max(counts.get(address) ?? 0, byMiner[address] ?? 0));
  }
  return counts;
}

/** What is known of each node as a member of the chain. */
export function findMembers(view: SubnetView): readonly Member[] {
  const missed = countMissedRounds(view);
  const isKnown = view.nodes.some(({ state }) => state.facts.node?.chain?.observation.missedRounds !== undefined);
  const { chain, masternodes } = view.chain;
  const masters = masternodes && {
    active: new Set(masternodes.active),
    penalised: new Set(masternodes.penalised),
  };
  return view.nodes.map((node) => {
    const member = toMember(node, chain, masters);
    if (member.address === undefined || !isKnown) return member;
    return { ...member, missedRounds: missed.get(member.address) ?? 0 };
  });
}
