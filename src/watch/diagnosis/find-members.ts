import type { Member, Vote } from '../../model/snapshot.ts';
import type { NodeView, SubnetView } from './subnet-view.ts';

/** The masternodes by address, and those that the chain has left out of its rounds. */
interface Masters {
  readonly active: ReadonlySet<string>;
  readonly penalised: ReadonlySet<string>;
  readonly standby: ReadonlySet<string>;
}

/** What a node does for the next block. Until the chain has named its masternodes, every node counts as one. */
function findVote(
  { chainFacts, isOut, isForeign, isStarting }: NodeView,
  silentVoters: ReadonlyMap<string, number>,
  isIdle: boolean,
  masters?: Masters,
): Vote | undefined {
  const address = isForeign ? undefined : chainFacts?.observation.address;
  if (masters === undefined || address === undefined)
    return isOut || isIdle ? 'silent' : isStarting ? 'unknown' : 'votes';
  if (masters.penalised.has(address)) return 'penalised';
  if (masters.standby.has(address)) return 'standby';
  if (!masters.active.has(address)) return undefined;
  if (isStarting) return 'unknown';
  return isOut || isIdle || silentVoters.has(address) ? 'silent' : 'votes';
}

/** What is known of each node as a member of the chain; `idle`: those that do not vote for the next block yet. */
export function findMembers(view: SubnetView, idle: readonly NodeView[]): readonly Member[] {
  const { chain, masternodes } = view.chain;
  const masters = masternodes && {
    active: new Set(masternodes.active),
    penalised: new Set(masternodes.penalised),
    standby: new Set(masternodes.standby),
  };
  return view.nodes.map((node): Member => {
    const own = node.chainFacts?.observation;
    const hasChain = chain !== undefined && (own?.genesis !== undefined || own?.chainId !== undefined);
    return {
      name: node.name,
      isOnChain: hasChain ? !node.isForeign : undefined,
      vote: findVote(node, view.silentVoters, idle.includes(node), masters),
      isOut: node.isOut,
    };
  });
}
