import { formatDuration } from '../../lib/duration.ts';
import { formatCount, joinAnd, listEach } from '../../lib/words.ts';
import { mostMasternodes } from '../../model/chain.ts';
import {
  type Candidate,
  describeReason,
  type ElectionReading,
  type Fate,
  type NextReason,
  type NextSet,
  type Presence,
} from '../../model/next-set.ts';
import { isStanding } from '../../model/problem.ts';
import { countReserve, isQuorumLost } from '../../model/snapshot.ts';
import type { SubnetFacts } from '../../model/subnet-facts.ts';
import type { ChainView } from './chain-view.ts';
import { countBlocks, countTurns, describeReturn, findChosen, type Place, placeEpoch, turnOf } from './find-epoch.ts';
import { countNextVotes, findIdle, presenceBy, type VoteFacts, withoutIdle } from './quorum.ts';
import type { SubnetView } from './subnet-view.ts';
import { type Found, suspect } from './suspect.ts';

/** Who is left out comes back if it has signed a block of so many before the choice (common/constants.go, `RangeReturnSigner`). */
const SIGN_RANGE = 150;

/** Only each such block is signed by a transaction (common/constants.go, `MergeSignRange`). */
const SIGN_EVERY = 15;

/** The candidates by their stakes. Equal ones keep their order (core/blockchain.go, `UpdateM1`). */
function listByStake(candidates: readonly Candidate[], order: readonly string[]): readonly string[] {
  const rank = new Map(order.map((address, index) => [address, index]));
  const rankOf = ({ address }: Candidate) => rank.get(address) ?? order.length;
  return candidates
    .toSorted((one, other) => Number((other.stake ?? 0n) - (one.stake ?? 0n)) || rankOf(one) - rankOf(other))
    .map(({ address }) => address);
}

/**
 * Predicts who has turns in the next epoch, if all nodes go on as they do, or says whom the chain has chosen; undefined until all is read
 * that it follows from, and while the counts do not fit.
 *
 * XDC-Subnet chooses at the gap block (eth/hooks/engine_v2_hooks.go, `HookPenalty`). Penalised are: who has made no block since the
 * epoch began, who had turns in the epoch before and made none from its gap block on, and who is penalised now. Of these, who has
 * signed one of the last 150 blocks stays in. XDPoSChain chooses when the epoch begins (the same file there): penalised are who has
 * made no block in the epoch, without its first one, whether it signs or not, and of those who are penalised now, who has not signed.
 * Its candidates are of the gap block before (snapshot.go), here of now. Its rules after `TIPUpgradePenalty`, a height that private
 * networks never reach, are not these. In both, the rest of the candidates by stake, as many as there may be, have turns.
 */
export function predictNextSet(
  chain: ChainView,
  election: ElectionReading,
  presenceOf: (address: string) => Presence,
): NextSet | undefined {
  const { epochsBy, counted, consensus: settings } = chain;
  const place = counted && placeEpoch(chain, counted.masternodes);
  if (counted === undefined || settings === undefined || place === undefined) return undefined;
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
  const lastTurns = new Map<string | undefined, number>();
  for (let turn = Math.max(round, lastRound - 2 * active.length) + 1; turn <= lastRound; turn++)
    lastTurns.set(active[turnOf(turn, rotation)], turn);
  const uncounted = isByRound ? active[turnOf(epochRound, rotation)] : undefined;

  const reasons = new Map<string, NextReason>();
  for (const address of active) {
    const { made = 0, missed = 0 } = turns.get(address) ?? {};
    const mayMake = lastTurns.has(address) && presenceOf(address) !== 'out' && (missed === 0 || signs(address));
    if (made <= (address === uncounted ? 1 : 0) && !mayMake) reasons.set(address, 'no-block');
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

  const chosen = findChosen(chain, counted.masternodes) && chain.nextEpoch;
  const isChosen = chosen !== undefined;
  const candidates = isChosen ? chosen.candidates : listByStake(election.candidates, [...active, ...standby]);
  const out = isChosen ? new Set(chosen.penalised) : reasons;
  const next = candidates.filter((address) => !out.has(address)).slice(0, mostMasternodes(settings));
  const listed = new Set(candidates);
  const has = new Set(next);
  const toFate = (address: string): Fate => {
    if (has.has(address)) return { state: 'active' };
    if (!listed.has(address)) return { state: 'removed', reason: 'no-candidate' };
    if (!out.has(address)) return { state: 'standby', reason: 'stake' };
    const reason = reasons.get(address);
    const makeBy = reason === 'no-block' ? lastTurns.get(address) : undefined;
    const canSign = number < signBy && !(isByRound && reason === 'no-block');
    return { state: 'penalised', reason, ...(!isChosen && { makeBy, ...(canSign && { signBy }) }) };
  };
  const all = new Set([...active, ...penalised, ...standby, ...listed]);
  return { isChosen, active: next, fates: new Map([...all].map((address) => [address, toFate(address)])) };
}

/** From so long before the choice on, its outcome is worth an alert. Earlier, most that is wrong is over in time. */
export const BEFORE_CHOICE_MS = 10 * 60_000;

/** The set of the next epoch, predicted or as chosen, by the nodes as they are seen now. */
export function viewNextSet(voters: VoteFacts, { election }: SubnetFacts, now: number): NextSet | undefined {
  const { chain } = voters;
  const { at } = chain.counted ?? {};
  if (at === undefined || election === undefined) return undefined;
  return predictNextSet(chain, election, presenceBy(voters, at, now));
}

/** The masternodes of the inventory that have turns now and none in the next epoch. */
const findLeavers = ({ nextSet, chain, masters }: SubnetView) =>
  (chain.masternodes?.active ?? []).flatMap((address) => {
    const [node, fate] = [masters.get(address), nextSet?.fates.get(address)];
    return node === undefined || fate === undefined || fate.state === 'active' ? [] : [{ node, fate }];
  });

/** What keeps them in the set, in the words of an order. */
function describeWayBack(leavers: ReturnType<typeof findLeavers>, view: SubnetView, periodMs: number): string {
  const { isChosen = false } = view.nextSet ?? {};
  const names = listEach(leavers, ({ node }) => node.name);
  const [first] = leavers;
  if (first === undefined) return 'restart no masternode until more of them vote';
  const { fate, node } = first;
  const bring = node.isOut
    ? `bring ${names} back`
    : `see why ${names} ${leavers.length === 1 ? 'makes' : 'make'} no blocks (log, clock and peers)`;
  const late = isChosen ? ': the choice is made, so this counts from the next one on' : '';
  if (fate.state === 'removed')
    return `propose ${names} again in the validator contract, if that was not intended${late}`;
  if (fate.state === 'standby') return `add stake to ${names} in the validator contract, or lose its turns${late}`;
  const [it, is, signs] = leavers.length === 1 ? ['it stays', 'it is', 'signs'] : ['they stay', 'they are', 'sign'];
  if (fate.signBy !== undefined) {
    const left = formatDuration(Math.max(0, fate.signBy - (view.reference ?? fate.signBy)) * periodMs);
    return `${bring}: ${it} in the set if ${is} in sync and ${signs} block ${fate.signBy}, in about ${left}`;
  }
  if (fate.makeBy !== undefined)
    return `${bring}: 1 block up to round ${fate.makeBy}, its last turn, keeps it in the set`;
  return `${bring} and keep ${leavers.length === 1 ? 'it' : 'them'} running${isChosen ? ': the choice is made, and the next one counts what is signed before it' : ''}`;
}

/**
 * What was foretold has come true, and is not over: for the epoch of which it was told, and for as long as the chain penalises the nodes.
 * Who has resigned on purpose has no turns in later ones either, which needs nobody. After a restart only its words are known.
 */
function findComeTrue(view: SubnetView, { number }: Place): Found {
  const told = view.before.get({ problem: 'next_epoch_at_risk' });
  const { active = [], penalised = [], standby = [] } = view.chain.masternodes ?? {};
  if (told === undefined || !isStanding(told)) return undefined;
  const since = Number(/ epoch (\d+)/.exec(told.summary)?.[1]);
  const names = told.nodes ?? told.summary.split(/,? /);
  const isOut = (address: string) =>
    number === since ? !active.includes(address) : number > since && penalised.includes(address);
  const out = view.nodes.filter(({ name, address }) => names.includes(name) && address !== undefined && isOut(address));
  const [first] = out;
  if (first?.address === undefined) return undefined;
  const listed = listEach(out, ({ name }) => name);
  const has = out.length === 1 ? 'has' : 'have';
  const back = standby.includes(first.address)
    ? `add stake to ${listed} in the validator contract`
    : `propose ${listed} again in the validator contract, if that was not intended`;
  return suspect('next_epoch_at_risk', {
    about: told.about,
    nodes: out.map(({ name }) => name),
    summary: `${listed} ${has} ${number === since ? 'no turns in' : 'had no turns since'} epoch ${since}`,
    evidence: `as foretold, epoch ${number} goes on without ${listed}: ${formatCount(active.length, 'masternode has', 'masternodes have')} turns`,
    fix: penalised.includes(first.address) ? describeReturn(view, first.address, first.isOut) : back,
  });
}

/** The next epoch begins without a masternode of the inventory, or a spare vote, unless somebody acts; or this one did, as was told before. */
export function findNextSetProblem(view: SubnetView): Found {
  const { nextSet, chain, nodes, reference, quorum } = view;
  const { counted, consensus, epochsBy } = chain;
  const place = counted && placeEpoch(chain, counted.masternodes);
  if (!place) return undefined;
  const comeTrue = findComeTrue(view, place);
  if (!nextSet || !consensus || reference === undefined) return comeTrue;
  const choice = epochsBy === 'round' ? place.nextFirstBlock : (place.choiceBlock ?? place.nextFirstBlock);
  const isDue = (choice - reference) * consensus.minePeriodMs <= BEFORE_CHOICE_MS;
  if (!isDue || isQuorumLost(quorum) || !nodes.some(({ rises }) => rises)) return comeTrue;
  const leavers = findLeavers(view);
  const votes = countNextVotes(view, nextSet);
  const isThin =
    quorum !== undefined &&
    countReserve(withoutIdle(quorum, findIdle(view, view.before.values))) > 0 &&
    votes.voting <= votes.required;
  if (leavers.length === 0 && !isThin) return comeTrue;
  const epoch = `epoch ${place.number + 1}`;
  const names = listEach(leavers, ({ node }) => node.name);
  const reasons = new Set(leavers.flatMap(({ fate }) => describeReason(fate) || []));
  const drop = `${names} ${nextSet.isChosen ? (leavers.length === 1 ? 'has' : 'have') : 'will have'} no turns in ${epoch}`;
  const spare = `${formatCount(votes.total, 'masternode has', 'masternodes have')} turns in ${epoch}, ${votes.voting} of them can vote, and ${votes.required} are needed`;
  return suspect('next_epoch_at_risk', {
    about: names || 'the next masternodes',
    nodes: leavers.map(({ node }) => node.name),
    summary:
      leavers.length === 0
        ? `${epoch} begins with no spare vote`
        : `${drop}${isThin ? ', which leaves no spare vote' : ''}`,
    evidence: `${reasons.size === 0 ? '' : `${joinAnd([...reasons])}; `}${nextSet.isChosen ? 'as chosen at' : 'if all go on as they do until'} block ${choice}${!nextSet.isChosen && epochsBy === 'round' ? ' at the latest' : ''}, ${spare}`,
    fix: describeWayBack(leavers, view, consensus.minePeriodMs),
  });
}
