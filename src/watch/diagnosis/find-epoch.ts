import type { Masternodes } from '../../model/chain.ts';
import type { Epoch, Masternode, Member, Vote } from '../../model/snapshot.ts';
import { countBlocks, type Turns } from './count-blocks.ts';
import { findComing } from './find-upgrades.ts';
import { findChosen, placeEpoch } from './next-epoch.ts';
import type { SubnetView } from './subnet-view.ts';

/** The pools hold fewer rounds than these only just after a start. */
const MIN_VOTE_ROUNDS = 4;

/** The nodes of masternodes, penalised and on standby too, by their addresses. One on the chain comes before one on another. */
function findNodes(
  { nodes }: SubnetView,
  members: readonly Member[],
  { active, standby, penalised }: Masternodes,
): ReadonlyMap<string, Member> {
  // Few of thousands of nodes are masternodes.
  const listed = new Set([...active, ...standby, ...penalised]);
  const byAddress = new Map<string, Member>();
  for (const [place, { chainFacts, isForeign }] of nodes.entries()) {
    const address = chainFacts?.observation.address;
    const member = members[place];
    if (address === undefined || member === undefined || !listed.has(address)) continue;
    if (!(isForeign && byAddress.has(address))) byAddress.set(address, member);
  }
  return byAddress;
}

/** The epoch of a subnet with all of its masternodes, given what is known of its nodes as members, in their order. */
export function findEpoch(view: SubnetView, members: readonly Member[], isBlind: boolean): Epoch | undefined {
  const { chain, neverSigned, silentVoters } = view;
  const { consensus, counted } = chain;
  const masternodes = counted?.masternodes ?? chain.masternodes;
  if (masternodes === undefined) return undefined;
  const { number: block, round, active, standby, penalised } = masternodes;
  const place = placeEpoch(chain, masternodes);
  const turns = counted && consensus && countBlocks(counted, consensus);
  const chosen = findChosen(chain, masternodes, place);
  const nodeOf = findNodes(view, members, masternodes);
  const following = place && place.number + 1;
  const upgrade = findComing(view)?.upgrade;

  const findVote = (address: string): Vote => {
    const vote = nodeOf.get(address)?.vote;
    if (vote !== undefined) return vote;
    if (isBlind) return 'unknown';
    return silentVoters.has(address) ? 'silent' : 'votes';
  };
  const describe = (address: string): Pick<Masternode, 'address' | 'name'> => {
    const name = nodeOf.get(address)?.name;
    return name === undefined ? { address } : { address, name };
  };
  const describeActive = (address: string): Masternode => {
    const own: Turns | undefined = turns?.get(address);
    const missed = own?.missed ?? (counted ? (counted.missedRounds.byMiner[address] ?? 0) : undefined);
    return {
      ...describe(address),
      vote: findVote(address),
      ...(own && { blocksMade: own.made }),
      ...(missed !== undefined && { missedRounds: missed }),
      ...(neverSigned.rounds >= MIN_VOTE_ROUNDS && {
        votesMissing: neverSigned.addresses.has(address) ? neverSigned.rounds : 0,
      }),
      ...(chosen && following !== undefined && !chosen.has(address) && { leavesInEpoch: following }),
    };
  };
  // Who is left out for an epoch has no turn in it.
  const describeIdle =
    (vote: Vote) =>
    (address: string): Masternode => ({
      ...describe(address),
      vote,
      ...(counted && { blocksMade: 0, missedRounds: 0 }),
      ...(chosen?.has(address) && following !== undefined && { backInEpoch: following }),
    });
  const known = new Set(active);
  const isNew = (address: string) => !known.has(address) && known.add(address).size > 0;
  return {
    ...place,
    isNextKnown: chosen !== undefined,
    block,
    round,
    ...(upgrade && { upgrade }),
    masternodes: [
      ...active.map(describeActive),
      ...penalised.filter(isNew).map(describeIdle('penalised')),
      ...standby.filter(isNew).map(describeIdle('standby')),
    ],
  };
}
