import type { Masternodes } from '../../model/chain.ts';
import type { Epoch, Masternode, Member, Vote } from '../../model/snapshot.ts';
import type { ChainView } from './chain-view.ts';
import { countBlocks, type Turns } from './count-blocks.ts';
import { findComing } from './find-upgrades.ts';
import type { SubnetView } from './subnet-view.ts';

/** How many masternodes an epoch may have where the settings do not say it (XDC-Subnet common/constants.go). */
const MAX_MASTERNODES = 108;

/** Where an epoch is. */
export type Place = Required<Pick<Epoch, 'number' | 'nextFirstBlock'>> &
  Pick<Epoch, 'firstBlock' | 'choiceBlock' | 'isNextAtLatest'>;

/**
 * Where epochs go by rounds, each round that brings no block lets the next one begin a block earlier. Its masternodes are of the last
 * block that is `gap` before a multiple of the length (XDPoSChain engine_v2/snapshot.go), so which one that is may still be open.
 */
function placeByRound(
  { counted, firstEpoch }: ChainView,
  { number: block, round }: Masternodes,
  { epoch, gap }: { readonly epoch: number; readonly gap: number },
): Place | undefined {
  if (firstEpoch === undefined) return undefined;
  const index = Math.floor(round / epoch);
  const { epochBlock, epochRound = Number.NaN } = counted?.missedRounds ?? {};
  const nextFirstBlock = block + (index + 1) * epoch - round;
  const choiceOf = (first: number) => first - (first % epoch) - gap;
  const choiceBlock = choiceOf(nextFirstBlock);
  return {
    number: firstEpoch + index,
    ...(Math.floor(epochRound / epoch) === index && { firstBlock: epochBlock }),
    ...(choiceBlock >= 0 && choiceBlock === choiceOf(block + 1) && { choiceBlock }),
    nextFirstBlock,
    isNextAtLatest: true,
  };
}

/**
 * Where the epoch of a block begins and ends; undefined while its length is not known. In a subnet, epochs begin at multiples of it
 * (XDC-Subnet engine_v2/epochSwitch.go).
 */
export function placeEpoch(chain: ChainView, masternodes: Masternodes): Place | undefined {
  const { consensus, epochsBy } = chain;
  if (consensus === undefined || consensus.epoch < 1) return undefined;
  if (epochsBy === 'round') return placeByRound(chain, masternodes, consensus);
  const { epoch, gap } = consensus;
  const number = Math.floor(masternodes.number / epoch);
  const next = (number + 1) * epoch;
  return { number, firstBlock: number * epoch, choiceBlock: next - gap, nextFirstBlock: next };
}

/**
 * Those whose turn comes in the next epoch; undefined until the chain has chosen them. They are the candidates without the
 * penalised ones, as many as there may be (XDC-Subnet engine_v2/engine.go). Somebody is on standby only when that many are there.
 */
export function findChosen(
  { consensus, nextEpoch: next }: ChainView,
  { active, standby }: Masternodes,
  place: Place | undefined,
): ReadonlySet<string> | undefined {
  if (next?.block === undefined || place?.choiceBlock === undefined) return undefined;
  if (next.block !== place.choiceBlock + 1) return undefined;
  const penalised = new Set(next.penalised);
  const most =
    standby.length > 0 ? active.length : Math.max(active.length, consensus?.maxMasternodes ?? MAX_MASTERNODES);
  return new Set(next.candidates.filter((address) => !penalised.has(address)).slice(0, most));
}

/** What is known of when a penalised masternode takes part again, as the end of a sentence. */
export function describeReturn(chain: ChainView, address: string): string {
  const { masternodes } = chain;
  const place = masternodes && placeEpoch(chain, masternodes);
  if (masternodes === undefined || place === undefined) return 'it may take part again in a later epoch';
  const { number, firstBlock = 0, choiceBlock, nextFirstBlock, isNextAtLatest } = place;
  const chosen = findChosen(chain, masternodes, place);
  const next = `epoch ${number + 1}`;
  if (isNextAtLatest)
    return `keep it running: it may take part again in ${next}, which begins with block ${nextFirstBlock} at the latest`;
  if (chosen === undefined || choiceBlock === undefined)
    return masternodes.number < (choiceBlock ?? nextFirstBlock)
      ? `keep it running: at block ${choiceBlock} the chain chooses who takes part in ${next}`
      : `keep it running: at block ${choiceBlock} the chain has chosen who takes part in ${next}, and no node says whom yet`;
  if (chosen.has(address)) return `keep it running: it takes part again in ${next}, from block ${nextFirstBlock} on`;
  const later = choiceBlock + nextFirstBlock - firstBlock;
  return `keep it running: it has no turn in ${next} either, and the chain chooses again at block ${later}`;
}

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
