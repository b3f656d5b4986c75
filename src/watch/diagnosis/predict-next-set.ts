import { type ConsensusSettings, mostMasternodes, type NextEpoch } from '../../model/chain.ts';
import type { Client } from '../../model/client.ts';
import type { Candidate, ElectionReading, Fate, NextReason, NextSet } from '../../model/next-set.ts';
import type { Counted } from './chain-view.ts';
import { countBlocks, countTurns, type Place, turnOf } from './find-epoch.ts';

/** Who is left out comes back if it has signed a block of so many before the choice (common/constants.go, `RangeReturnSigner`). */
const SIGN_RANGE = 150;

/** Only each such block is signed by a transaction (common/constants.go, `MergeSignRange`). */
const SIGN_EVERY = 15;

/** Of most masternodes of most subnets. */
const ACTIVE: Fate = { state: 'active' };

/** What the next set follows from. */
export interface Outlook {
  readonly epochsBy: Client['epochsBy'];
  readonly counted: Counted;
  readonly settings: ConsensusSettings;
  readonly place: Place;
  readonly election: ElectionReading;
  /** What the chain itself has said of the next epoch. */
  readonly chosen?: NextEpoch | undefined;
  readonly presenceOf: (address: string) => Presence;
}

/**
 * What is known of the node of a masternode: it takes no part now, or has run for so many milliseconds, too few for its transactions to
 * show whether it signs; undefined: they show it.
 */
export type Presence = 'out' | number | undefined;

/** The first so many of the candidates by their stakes. Equal ones keep their order (core/blockchain.go, `UpdateM1`). */
function takeFirst(
  candidates: readonly Candidate[],
  order: readonly string[],
  penalised: { has(address: string): boolean },
  most: number,
): readonly string[] {
  const rank = new Map(order.map((address, index) => [address, index]));
  const rankOf = ({ address }: Candidate) => rank.get(address) ?? order.length;
  return candidates
    .filter(({ address }) => !penalised.has(address))
    .toSorted((one, other) => Number((other.stake ?? 0n) - (one.stake ?? 0n)) || rankOf(one) - rankOf(other))
    .slice(0, most)
    .map(({ address }) => address);
}

/**
 * Predicts who has turns in the next epoch, if all nodes go on as they do; undefined while the counts do not fit.
 *
 * XDC-Subnet chooses at the gap block (eth/hooks/engine_v2_hooks.go, `HookPenalty`). Penalised are: who has made no block since the
 * epoch began, who had turns in the epoch before and made none from its gap block on, and who is penalised now. Of these, who has
 * signed one of the last 150 blocks stays in. XDPoSChain chooses when the epoch begins (the same file there): penalised are who has
 * made no block in the epoch, without its first one, whether it signs or not, and of those who are penalised now, who has not signed.
 * Its candidates are of the gap block before (snapshot.go), here of now. Its rules after `TIPUpgradePenalty`, a height that private
 * networks never reach, are not these. In both, the rest of the candidates by stake, as many as there may be, have turns.
 */
export function predictNextSet(outlook: Outlook): NextSet | undefined {
  const { epochsBy, counted, settings, place, election, chosen, presenceOf } = outlook;
  const { number, round, active, standby, penalised } = counted.masternodes;
  const { epoch } = settings;
  const isByRound = epochsBy === 'round';
  const choice = isByRound ? place.nextFirstBlock : (place.choiceBlock ?? place.nextFirstBlock);
  const turns = countBlocks(counted, settings);
  // What was read in another epoch counts other blocks.
  const isOfEpoch = isByRound || Math.floor(election.block / epoch) === Math.floor(number / epoch);
  if (turns === undefined || !isOfEpoch) return undefined;

  // The chain looks no further back than it counts blocks, where epochs are short.
  const { epochBlock, epochRound } = counted.missedRounds;
  const signFrom = Math.max(choice - SIGN_RANGE, isByRound ? epochBlock : choice - epoch);
  const signBy = Math.floor((choice - 2) / SIGN_EVERY) * SIGN_EVERY;
  const signs = (address: string): boolean => {
    const sent = election.sent.get(address);
    const after = sent?.after ?? Number.NEGATIVE_INFINITY;
    if (after > signFrom) return true;
    const presence = presenceOf(address);
    if (presence === 'out') return false;
    // It signs the blocks that come while it runs.
    if (presence !== undefined) return number - presence / settings.minePeriodMs < signBy;
    // One that signs each 15th block has sent a transaction within two readings.
    return sent === undefined || election.block - after <= SIGN_EVERY + 2 * (election.block - sent.since);
  };

  const rotation = { epoch, masternodes: active.length };
  const lastRound = isByRound ? (Math.floor(round / epoch) + 1) * epoch - 1 : round + choice - 1 - number;
  const findLastTurn = (seat: number): number | undefined => {
    for (let turn = lastRound; turn > Math.max(round, lastRound - 2 * active.length); turn--)
      if (turnOf(turn, rotation) === seat) return turn;
    return undefined;
  };
  const uncounted = isByRound ? active[turnOf(epochRound, rotation)] : undefined;

  const reasons = new Map<string, NextReason>();
  const lastTurns = new Map<string, number | undefined>();
  for (const [seat, address] of active.entries()) {
    const { made = 0, missed = 0 } = turns.get(address) ?? {};
    if (made > (address === uncounted ? 1 : 0)) continue;
    const lastTurn = findLastTurn(seat);
    lastTurns.set(address, lastTurn);
    if (lastTurn !== undefined && presenceOf(address) !== 'out' && (missed === 0 || signs(address))) continue;
    reasons.set(address, 'no-block');
  }
  if (!isByRound && election.before !== undefined) {
    const { active: seats, fromRound, toRound, missed } = election.before;
    const before = { epoch, masternodes: seats.length };
    for (const [seat, address] of seats.entries()) {
      const had = countTurns(toRound + 1, seat, before) - countTurns(fromRound, seat, before);
      if (had <= (missed.get(address) ?? 0)) reasons.set(address, 'no-block-before');
    }
  }
  // In the second epoch of XDPoSChain all come back.
  for (const address of !isByRound || choice > epoch ? penalised : []) reasons.set(address, 'still-penalised');
  for (const [address, reason] of reasons)
    if (signs(address) && !(isByRound && reason === 'no-block')) reasons.delete(address);

  const isChosen = chosen !== undefined;
  const candidates = isChosen ? chosen.candidates.map((address): Candidate => ({ address })) : election.candidates;
  const out = isChosen ? new Set(chosen.penalised) : reasons;
  const order = isChosen ? chosen.candidates : [...active, ...standby];
  const next = takeFirst(candidates, order, out, mostMasternodes(settings));
  const listed = new Set(candidates.map(({ address }) => address));
  const has = new Set(next);
  const toFate = (address: string): Fate => {
    if (has.has(address)) return ACTIVE;
    if (!listed.has(address)) return { state: 'removed', reason: 'no-candidate' };
    if (!out.has(address)) return { state: 'standby', reason: 'stake' };
    const reason = reasons.get(address);
    const makeBy = reason === 'no-block' ? lastTurns.get(address) : undefined;
    const canSign = number < signBy && !(isByRound && reason === 'no-block');
    return {
      state: 'penalised',
      reason,
      ...(!isChosen && { makeBy, ...(canSign && { signBy }) }),
    };
  };
  const all = new Set([...active, ...penalised, ...standby, ...listed]);
  return { isChosen, active: next, fates: new Map([...all].map((address) => [address, toFate(address)])) };
}
