import { type ConsensusSettings, type Masternodes, mostMasternodes, twoCyclesMs } from '../../model/chain.ts';
import { isAsked } from '../../model/is-judged.ts';
import type { Epoch, Masternode, Member, Quorum, SubnetState, Vote } from '../../model/snapshot.ts';
import { type ChainView, type Counted, isOfRunBefore } from './chain-view.ts';
import { viewLag } from './find-lagging.ts';
import { countNextVotes, findNameless, findStrangers, isToJoin, withDoubtful } from './quorum.ts';
import { findComing } from './setup/find-node-differences.ts';
import { checkOf, findsPeers, isMissing, type NodeView, type SubnetView } from './subnet-view.ts';

export type Place = Required<Pick<Epoch, 'number' | 'nextFirstBlock'>> &
  Pick<Epoch, 'firstBlock' | 'choiceBlock' | 'isNextAtLatest'>;

/**
 * Where the epoch of a block begins and ends. In a subnet, epochs begin at multiples of their length (engine_v2/epochSwitch.go).
 *
 * Where epochs go by rounds, each round that brings no block lets the next one begin a block earlier. Its masternodes are of the last
 * block that is `gap` before a multiple of the length (XDPoSChain engine_v2/snapshot.go), so which one that is may still be open.
 */
export function placeEpoch(chain: ChainView, { number: block, round }: Masternodes): Place | undefined {
  const { consensus, epochsBy, counted, firstEpoch } = chain;
  if (consensus === undefined || consensus.epoch < 1) return undefined;
  const { epoch, gap } = consensus;
  if (epochsBy === 'block') {
    const number = Math.floor(block / epoch);
    const next = (number + 1) * epoch;
    return { number, firstBlock: number * epoch, choiceBlock: next - gap, nextFirstBlock: next };
  }
  if (firstEpoch === undefined) return undefined;
  const index = Math.floor(round / epoch);
  const { epochBlock, epochRound = Number.NaN } = counted?.missedRounds ?? {};
  const nextFirstBlock = block + (index + 1) * epoch - round;
  const choiceOf = (first: number) => first - (first % epoch) - gap;
  const choiceBlock = choiceOf(nextFirstBlock);
  return {
    number: firstEpoch + index,
    firstBlock: Math.floor(epochRound / epoch) === index ? epochBlock : undefined,
    choiceBlock: choiceBlock >= 0 && choiceBlock === choiceOf(block + 1) ? choiceBlock : undefined,
    nextFirstBlock,
    isNextAtLatest: true,
  };
}

/**
 * Those whose turn comes in the next epoch; undefined until the chain has chosen them. They are the candidates without the
 * penalised ones, as many as there may be (XDC-Subnet engine_v2/engine.go). Somebody is on standby only when that many are there.
 */
export function findChosen(chain: ChainView, masternodes: Masternodes): ReadonlySet<string> | undefined {
  const { consensus, nextEpoch: next } = chain;
  const { active, standby } = masternodes;
  const { choiceBlock = Number.NaN } = placeEpoch(chain, masternodes) ?? {};
  if (next?.block !== choiceBlock + 1) return undefined;
  const most = standby.length > 0 ? active.length : Math.max(active.length, mostMasternodes(consensus));
  return new Set(next.candidates.filter((address) => !next.penalised.includes(address)).slice(0, most));
}

/** What is known of when a penalised masternode takes part again, as the end of a sentence. `isOut`: its node does not run now. */
export function describeReturn(
  { chain, reference = 0 }: Pick<SubnetView, 'chain' | 'reference'>,
  address: string,
  isOut = false,
): string {
  const { masternodes } = chain;
  const place = masternodes && placeEpoch(chain, masternodes);
  if (masternodes === undefined || place === undefined) return 'it may take part again in a later epoch';
  const { number, firstBlock = 0, nextFirstBlock, choiceBlock = nextFirstBlock, isNextAtLatest } = place;
  const chosen = findChosen(chain, masternodes);
  const next = `epoch ${number + 1}`;
  const keep = isOut ? 'bring it back and keep it running' : 'keep it running';
  if (isNextAtLatest)
    return `${keep}: it may take part again in ${next}, which begins with block ${nextFirstBlock} at the latest`;
  if (chosen === undefined)
    return Math.max(masternodes.number, reference) < choiceBlock
      ? `${keep}: at block ${choiceBlock} the chain chooses who takes part in ${next}`
      : `${keep}: at block ${choiceBlock} the chain has chosen who takes part in ${next}, and no node says whom yet`;
  if (chosen.has(address)) return `${keep}: it takes part again in ${next}, from block ${nextFirstBlock} on`;
  const later = choiceBlock + nextFirstBlock - firstBlock;
  return `${keep}: it has no turn in ${next} either, and the chain chooses again at block ${later}`;
}

/** What decides whose turn a round is: the length of an epoch in rounds, and how many masternodes there are. */
interface Rotation {
  readonly epoch: number;
  readonly masternodes: number;
}

/** The place of the masternode whose turn a round is. A block of another is refused (XDC-Subnet engine_v2/mining.go, verifyHeader.go). */
export const turnOf = (round: number, { epoch, masternodes }: Rotation): number => (round % epoch) % masternodes;

/** How many of the rounds from 0 to below `round` are the turn of the masternode at a place. */
export function countTurns(round: number, place: number, { epoch, masternodes }: Rotation): number {
  const ofRounds = (rounds: number) => Math.max(0, Math.ceil((rounds - place) / masternodes));
  return Math.floor(round / epoch) * ofRounds(epoch) + ofRounds(round % epoch);
}

/**
 * How many blocks each masternode made and missed in the epoch, by address, until its rounds were counted. Each round is the turn of
 * one masternode, and the chain lists those that brought no block: all others brought one. Undefined when the sum is not the number
 * of blocks: then a block came between the two answers, or this chain takes turns by another rule.
 */
export function countBlocks(
  { masternodes: { number, round, active }, missedRounds }: Counted,
  { epoch }: Pick<ConsensusSettings, 'epoch'>,
): ReadonlyMap<string, { readonly made: number; readonly missed: number }> | undefined {
  const { epochBlock, epochRound, rounds, byMiner } = missedRounds;
  if (epochBlock > number || epochRound > round || epoch < 1) return undefined;
  const rotation = { epoch, masternodes: active.length };
  const missed = new Map(Object.entries(byMiner));
  for (const one of rounds) {
    if (one.miner !== active[turnOf(one.round, rotation)]) return undefined;
    // Counted after the block at which the masternodes were read.
    if (one.round > round) missed.set(one.miner, (missed.get(one.miner) ?? 0) - 1);
  }
  // Nobody made the genesis.
  const first = epochBlock === 0 ? 1 : epochRound;
  let left = number - epochBlock + (epochBlock === 0 ? 0 : 1);
  const turns = new Map<string, { made: number; missed: number }>();
  for (const [place, address] of active.entries()) {
    const all = countTurns(round + 1, place, rotation) - countTurns(first, place, rotation);
    const lost = missed.get(address) ?? 0;
    if (lost < 0 || lost > all) return undefined;
    left -= all - lost;
    turns.set(address, { made: all - lost, missed: lost });
  }
  return left === 0 ? turns : undefined;
}

/** What a node does for the next block; `idleVote`: of one that stands still or catches up. Until the chain has named them, each node is one. */
function findVote(node: NodeView, view: SubnetView, idleVote: Vote | undefined): Vote | undefined {
  const { masternodes } = view.chain;
  const { isOut } = node;
  // That of another chain has no seat in this one.
  const address = node.isForeign ? '' : (node.address ?? '');
  if (masternodes?.penalised.includes(address)) return 'penalised';
  if (masternodes?.standby.includes(address)) return 'standby';
  if (masternodes && address && !masternodes.active.includes(address)) return undefined;
  // What an earlier process has stored of a node shows nothing of what it does now.
  if (isToJoin(node) || !isAsked(node.state)) return 'unknown';
  return isOut || view.silentVoters.has(address) ? 'silent' : (idleVote ?? 'votes');
}

/** Whether the newest turn of a masternode brought no block, when the rounds were last counted. */
function hasMissedTurn({ counted }: ChainView, address: string): boolean {
  const { round = 0, active = [] } = counted?.masternodes ?? {};
  const missed = counted?.missedRounds.rounds.find(({ miner }) => miner === address);
  return missed !== undefined && missed.round > round - active.length;
}

/**
 * What is known of each node as a member of the chain; `idle`: those that do not vote for the next block yet. If the chain, which
 * goes on, needs some of these, as the quorum counts them, nobody knows which. `isBlind`: nothing is seen of the nodes.
 */
export function findMembers(view: SubnetView, idle: readonly NodeView[], quorum: Quorum | undefined, isBlind = false) {
  const without = (view.quorum?.voting ?? 0) - idle.length;
  const idleVote = quorum !== undefined && quorum.voting > without ? 'unknown' : 'silent';
  return view.nodes.map((node) => {
    const { genesis, chainId } = node.chainFacts?.observation ?? {};
    const vote = findVote(node, view, idle.includes(node) ? idleVote : undefined);
    const hasChain = view.chain.chain && (genesis ?? chainId) !== undefined && !isOfRunBefore(node.state);
    return {
      name: node.name,
      isOnChain: hasChain ? !node.isForeign : undefined,
      hasMissedTurn: hasMissedTurn(view.chain, node.address ?? ''),
      vote: isBlind && (vote === 'silent' || vote === 'votes') ? 'unknown' : vote,
      isUnseen: node.unseen !== undefined || (node.answers === false && node.isLogAlive),
      isOut: node.isOut,
      isAbsent: view.absent.has(node.name) && !findsPeers(node.state, view.now),
    };
  });
}

/** The pools hold fewer rounds than these only just after a start. */
const MIN_VOTE_ROUNDS = 4;

/** The only address of these masternodes that no node has said, and the only node that has never said one; undefined of more. */
export function findUntold(nodes: readonly NodeView[], { active, penalised, standby }: Masternodes) {
  const told = new Set(nodes.map(({ address }) => address));
  const [address, ...others] = [...active, ...penalised, ...standby].filter((one) => !told.has(one));
  const [node, ...more] = nodes.filter((one) => one.address === undefined);
  return address !== undefined && node && others.length + more.length === 0 ? { address, node } : undefined;
}

/**
 * The epoch of a subnet with all of its masternodes, given what is known of its nodes as members, in their order. `mayDoubt`: the chain
 * goes on, and has votes to spare, so that one which is counted may be missing.
 */
export function findEpoch(view: SubnetView, members: readonly Member[], isBlind: boolean, mayDoubt = false) {
  const { chain, neverSigned, silentVoters, nextSet } = view;
  const { consensus, counted } = chain;
  const masternodes = counted?.masternodes ?? chain.masternodes;
  if (masternodes === undefined) return undefined;
  const { number: block, round, active, standby, penalised } = masternodes;
  const place = placeEpoch(chain, masternodes);
  const turns = counted && consensus && countBlocks(counted, consensus);
  const chosen = findChosen(chain, masternodes);
  const byName = new Map(members.map((member) => [member.name, member]));
  // A node on another chain, or on standby, has an address too.
  const byAddress = new Map([...view.nodes.map((node) => [node.address, node] as const), ...view.masters]);
  const memberOf = (address: string) => byName.get(byAddress.get(address)?.name ?? '');
  const following = place && place.number + 1;
  const untold = findUntold(view.nodes, masternodes);
  // Some time after a node first answered, or was first silent, turns show whether somebody else has the key that it should have.
  const isNew = ({ state }: NodeView) =>
    (counted?.at ?? 0) - (checkOf(state, 'latest_block')?.since ?? 0) < twoCyclesMs(active.length, consensus);
  const isShown = (node: NodeView) =>
    node === untold?.node && !node.chainFacts && !isNew(node) && !hasMissedTurn(chain, untold.address);
  const presumed = untold && (isMissing(untold.node) || isShown(untold.node)) ? untold : undefined;
  const describe = (address: string, vote: Vote, changes: Partial<Masternode>): Masternode => ({
    address,
    name: memberOf(address)?.name,
    alsoOf: view.sharedKeys.get(address)?.flatMap(({ name }) => (name === memberOf(address)?.name ? [] : name)),
    ...(address === presumed?.address && { presumed: presumed.node.name }),
    vote,
    ...changes,
    next: nextSet?.fates.get(address),
    lag: viewLag(view.facts.lag, address, memberOf(address)?.name),
  });
  const { addresses, nodesOut, nodesToJoin } = findNameless(view, active);
  /** One that was not asked yet, or gives no answer, may have an address of these. */
  const isUnasked = view.nodes.some(
    (node) => !node.chainFacts && node.address === undefined && !isMissing(node) && !isShown(node),
  );
  /** The vote of a masternode that no known node claims. A node that is out and has never given an address may be its own. */
  const findUnnamedVote = (address: string): Vote => {
    if (isBlind) return 'unknown';
    if (silentVoters.has(address)) return 'silent';
    if (isUnasked || nodesToJoin > 0 || (nodesOut > 0 && nodesOut < addresses.length)) return 'unknown';
    return nodesOut > 0 ? 'silent' : 'votes';
  };
  // Nobody may have the other key while two run with one, and a node that has never answered may not take part.
  const mayLack =
    view.sharedKeys.size > 0 ||
    isUnasked ||
    view.nodes.some(({ unseen }) => unseen === 'voted') ||
    findStrangers(view).some(isNew);
  const describeActive = (address: string): Masternode => {
    const own = turns?.get(address);
    const votesMissing = neverSigned.addresses.has(address) ? neverSigned.rounds : 0;
    const member = memberOf(address);
    const vote = member?.vote ?? findUnnamedVote(address);
    const isCounted = member ? vote === 'votes' : nodesOut === 0 && !silentVoters.has(address);
    const { height } = byAddress.get(address) ?? {};
    // Since subnetd started it was seen to stand, below the others.
    const stands =
      height?.risen === false && height.lastGoodAt > height.advancedAt && height.number < (view.reference ?? 0);
    const mayMiss = stands || hasMissedTurn(chain, address) || (!member && mayLack);
    return describe(address, vote, {
      blocksMade: own?.made,
      missedRounds: own?.missed ?? (counted && (counted.missedRounds.byMiner[address] ?? 0)),
      ...(mayDoubt && isCounted && mayMiss && { isDoubtful: true }),
      votesMissing: neverSigned.rounds >= MIN_VOTE_ROUNDS ? votesMissing : undefined,
      leavesInEpoch: chosen?.has(address) === false ? following : undefined,
    });
  };
  // Who is left out for an epoch has no turn in it.
  const describeIdle = (address: string): Masternode =>
    describe(address, penalised.includes(address) ? 'penalised' : 'standby', {
      ...(counted && { blocksMade: 0, missedRounds: 0 }),
      backInEpoch: chosen?.has(address) ? following : undefined,
    });
  const idle = new Set([...penalised, ...standby]).difference(new Set(active));
  const seats = active.map(describeActive);
  const doubtful = seats.filter(({ isDoubtful, leavesInEpoch }) => isDoubtful && !leavesInEpoch);
  return {
    ...place,
    isNextKnown: chosen !== undefined,
    ...(nextSet && { next: withDoubtful(countNextVotes(view, nextSet), doubtful.length) }),
    block,
    round,
    upgrade: findComing(view)?.upgrade,
    masternodes: [...seats, ...[...idle].map(describeIdle)],
  };
}

/** Blocks before and after a choice within which a kill may cost a node its snapshot. */
const NEAR_CHOICE = 5;

/** So many blocks after the begin of an epoch the pools hold votes by which a masternode without the snapshot shows. */
const FIRST_VOTES = 30;

/** Each node stores at this block who may make the next epoch's blocks. Killed between that and its head, it lacks the snapshot. */
export function findNearChoice({ epoch, reference }: SubnetState, name: string): string | undefined {
  const choice = epoch?.choiceBlock;
  return choice !== undefined && reference !== undefined && Math.abs(reference - choice) <= NEAR_CHOICE
    ? `a restart near block ${choice}, where the chain chooses its next masternodes, may cost ${name} the snapshot of them; wait for block ${choice + NEAR_CHOICE + 1}`
    : undefined;
}

/** An epoch begins with the snapshot of its gap block. A node that has lost it does not vote, and that has to show first. */
export function findNewEpoch({ epoch, reference }: SubnetState): string | undefined {
  const { number = 0, firstBlock, choiceBlock = 0, nextFirstBlock = 0 } = epoch ?? {};
  if (number === 0 || firstBlock === undefined || reference === undefined) return undefined;
  const passed = reference - firstBlock;
  if (passed < 0 || passed >= FIRST_VOTES) return undefined;
  const gapBlock = firstBlock - (nextFirstBlock - choiceBlock);
  const snapshot = choiceBlock > firstBlock && gapBlock >= 0 ? `the snapshot of block ${gapBlock}` : 'a new snapshot';
  return `epoch ${number} began at block ${firstBlock} with ${snapshot}; a masternode that has lost it does not vote, which shows by block ${firstBlock + FIRST_VOTES}`;
}
