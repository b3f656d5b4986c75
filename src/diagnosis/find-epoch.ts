import type { ConsensusSettings, Masternodes, NextEpoch } from '../model/chain.ts';
import type { Epoch, Masternode, Member, Vote } from '../model/snapshot.ts';
import { countBlocks, type Turns } from './count-blocks.ts';
import type { SubnetView } from './subnet-view.ts';

/** How many masternodes an epoch may have (XDC-Subnet common/constants.go). */
const MAX_MASTERNODES = 108;

/** The pools hold fewer rounds than these only just after a start. */
const MIN_VOTE_ROUNDS = 4;

type Place = Pick<Epoch, 'number' | 'firstBlock' | 'choiceBlock' | 'nextFirstBlock'>;

/** Where an epoch begins and ends: at multiples of its length (XDC-Subnet engine_v2/epochSwitch.go). */
function placeEpoch(block: number, consensus: ConsensusSettings | undefined): Place {
  if (consensus === undefined || consensus.epoch < 1) return {};
  const { epoch, gap } = consensus;
  const number = Math.floor(block / epoch);
  const next = (number + 1) * epoch;
  return { number, firstBlock: number * epoch, choiceBlock: next - gap, nextFirstBlock: next };
}

/**
 * Those whose turn comes in the next epoch; undefined until the chain has chosen them. They are the candidates without the
 * penalised ones, as many as there may be (XDC-Subnet engine_v2/engine.go). Somebody is on standby only when that many are there.
 */
function findChosen(
  { active, standby }: Masternodes,
  { choiceBlock }: Place,
  next: NextEpoch | undefined,
): ReadonlySet<string> | undefined {
  if (next === undefined || choiceBlock === undefined || next.block !== choiceBlock + 1) return undefined;
  const penalised = new Set(next.penalised);
  const most = standby.length > 0 ? active.length : Math.max(active.length, MAX_MASTERNODES);
  return new Set(next.candidates.filter((address) => !penalised.has(address)).slice(0, most));
}

/** The nodes of the inventory by their addresses. One on the chain comes before one on another. */
function nameAddresses({ nodes }: SubnetView): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { name, said, isForeign } of nodes) {
    const address = said?.observation.address;
    if (address !== undefined && !(isForeign && names.has(address))) names.set(address, name);
  }
  return names;
}

/** The epoch of a subnet with all of its masternodes, given what is known of its nodes as members. */
export function findEpoch(view: SubnetView, members: readonly Member[], isBlind: boolean): Epoch | undefined {
  const { chain, neverSigned, silentVoters } = view;
  const { consensus, counted, nextEpoch } = chain;
  const masternodes = counted?.masternodes ?? chain.masternodes;
  if (masternodes === undefined) return undefined;
  const { number: block, round, active, standby, penalised } = masternodes;
  const place = placeEpoch(block, consensus);
  const turns = counted && consensus && countBlocks(counted, consensus);
  const chosen = findChosen(masternodes, place, nextEpoch);
  const names = nameAddresses(view);
  const votes = new Map(members.map(({ name, vote }) => [name, vote]));
  const following = place.number === undefined ? undefined : place.number + 1;

  const findVote = (address: string, name: string | undefined): Vote => {
    const vote = name === undefined ? undefined : votes.get(name);
    if (vote !== undefined) return vote;
    if (isBlind) return 'unknown';
    return silentVoters.has(address) ? 'silent' : 'votes';
  };
  const describe = (address: string): Pick<Masternode, 'address' | 'name'> => {
    const name = names.get(address);
    return name === undefined ? { address } : { address, name };
  };
  const describeActive = (address: string): Masternode => {
    const known = describe(address);
    const own: Turns | undefined = turns?.get(address);
    const missed = own?.missed ?? (counted ? (counted.missedRounds.byMiner[address] ?? 0) : undefined);
    return {
      ...known,
      vote: findVote(address, known.name),
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
    ...{ block, round },
    masternodes: [
      ...active.map(describeActive),
      ...penalised.filter(isNew).map(describeIdle('penalised')),
      ...standby.filter(isNew).map(describeIdle('standby')),
    ],
  };
}
