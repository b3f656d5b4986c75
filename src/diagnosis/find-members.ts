import type { Member, Vote } from '../model/snapshot.ts';
import type { Chain } from './chain-view.ts';
import type { NodeView, SubnetView } from './subnet-view.ts';

/** The masternodes by address, and those that the chain has left out of its rounds. */
interface Masters {
  readonly active: ReadonlySet<string>;
  readonly penalised: ReadonlySet<string>;
  readonly standby: ReadonlySet<string>;
}

/** What a node does for the next block. Until the chain has named its masternodes, every node counts as one. */
function findVote(
  { said, isOut, isForeign, isStarting }: NodeView,
  silentVoters: ReadonlyMap<string, number>,
  masters?: Masters,
): Vote | undefined {
  const address = isForeign ? undefined : said?.observation.address;
  if (masters === undefined || address === undefined) return isOut ? 'silent' : isStarting ? 'unknown' : 'votes';
  if (masters.penalised.has(address)) return 'penalised';
  if (masters.standby.has(address)) return 'standby';
  if (!masters.active.has(address)) return undefined;
  if (isStarting) return 'unknown';
  return isOut || silentVoters.has(address) ? 'silent' : 'votes';
}

function toMember({ name, said, isForeign }: NodeView, chain: Chain | undefined, masters?: Masters): Member {
  const own = said?.observation;
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
  for (const { said, isForeign } of nodes) {
    const byMiner = isForeign ? undefined : said?.observation.missedRounds?.byMiner;
    for (const address in byMiner) counts.set(address, Math.max(counts.get(address) ?? 0, byMiner[address] ?? 0));
  }
  return counts;
}

/** What is known of each node as a member of the chain. */
export function findMembers(view: SubnetView): readonly Member[] {
  const missed = countMissedRounds(view);
  const isKnown = view.nodes.some(({ said }) => said?.observation.missedRounds !== undefined);
  const { chain, masternodes } = view.chain;
  const masters = masternodes && {
    active: new Set(masternodes.active),
    penalised: new Set(masternodes.penalised),
    standby: new Set(masternodes.standby),
  };
  return view.nodes.map((node) => {
    const vote = findVote(node, view.silentVoters, masters);
    const member = { ...toMember(node, chain, masters), vote, isOut: node.isOut };
    if (member.address === undefined || !isKnown) return member;
    return { ...member, missedRounds: missed.get(member.address) ?? 0 };
  });
}
