import type { Member, Vote } from '../model/snapshot.ts';
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

/** The rounds that each address missed in the epoch, by the node that knows of most. */
function countMissedRounds({ nodes }: SubnetView): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { said, isForeign } of nodes) {
    const byMiner = isForeign ? undefined : said?.observation.missedRounds?.byMiner;
    for (const address in byMiner) {
      const count = byMiner[address] ?? 0;
      // Most nodes say the same.
      if (count > (counts.get(address) ?? -1)) counts.set(address, count);
    }
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
  return view.nodes.map((node): Member => {
    const own = node.said?.observation;
    const hasChain = chain !== undefined && (own?.genesis !== undefined || own?.chainId !== undefined);
    const isPenalised = own?.address !== undefined && masters?.penalised.has(own.address) === true;
    const isMaster = !node.isForeign && own?.address !== undefined && (isPenalised || masters?.active.has(own.address));
    return {
      name: node.name,
      isOnChain: hasChain ? !node.isForeign : undefined,
      address: isMaster ? own.address : undefined,
      isPenalised: isMaster ? isPenalised : undefined,
      vote: findVote(node, view.silentVoters, masters),
      isOut: node.isOut,
      missedRounds: isMaster && isKnown ? (missed.get(own.address) ?? 0) : undefined,
    };
  });
}
