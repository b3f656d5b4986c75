import { collect } from '../../lib/values.ts';
import { isCredible, twoCyclesMs } from '../../model/chain.ts';
import { addressOf, countPeers, type NodeLogFacts, type Progress } from '../../model/facts.ts';
import { type Fault, isBarred, isOwnFault } from '../../model/observation.ts';
import {
  findContainer,
  hasJustBegun,
  isLooping,
  isOfRun,
  isRestartPlanned,
  isStopping,
  mayCrashAgain,
  SILENT_START_MS,
  START_MS,
} from '../../model/restart-cause.ts';
import type { TargetSetup } from '../../model/setup.ts';
import type { ShownFailure, TargetState } from '../../model/snapshot.ts';
import type { NodeTarget } from '../../model/target.ts';
import { bringsLoop, match } from '../rules/failure-signs.ts';
import { knownUntil } from '../rules/find-log-fault.ts';
import type { ChainView } from './chain-view.ts';
import {
  answersAnyway,
  askedAt,
  type ContainerView,
  checkOf,
  hasEndedUnseen,
  hasLostNetwork,
  isStopped,
  type NodeView,
  type SubnetView,
  startedAtOf,
  type TargetView,
} from './subnet-view.ts';

/** The container of a target, as far as Docker was asked. */
export function viewContainer(state: TargetState): ContainerView {
  const { container: facts, node, service } = state.facts;
  const observation = facts?.observation;
  if (observation === undefined || observation.kind === 'docker-unreachable') return { kind: 'unknown' };
  if (answersAnyway(state)) return { kind: 'elsewhere' };
  if (observation.kind === 'missing') return { kind: 'missing' };
  const { container } = observation;
  const { status, running } = container;
  if (status === 'paused' || status === 'restarting') return { kind: status, container };
  if (!running) return { kind: 'stopped', container };
  const isSilent = node?.observation.answered === false || service?.observation.ok === false;
  const ends = isSilent && isStopping(facts, checkOf(state, 'container')?.lastRun ?? 0);
  return { kind: ends ? 'stopping' : 'running', container };
}

/** Whether a time is known and less than so long ago. */
const within = (at: number | undefined, ms: number, now: number): boolean => at !== undefined && now - at < ms;

/** Whether a container that was started at a time crashes again and again, or has crashed and shows a cause of that again. */
function crashesOn({ facts: { container, logs }, shownFailures }: TargetState, startedAt: number, now: number) {
  if (mayCrashAgain(container, now)) return true;
  const showsAgain = ({ signs = [] }: ShownFailure) => (match(...signs)({ logs }, now) ?? 0) >= startedAt;
  return isRestartPlanned(container) === false && shownFailures.some((one) => bringsLoop(one) && showsAgain(one));
}

/** A node may take so long until its first answer, and needs as much time from there to find its peers as any other. */
const SLOW_START_MS = 5 * 60_000;

/** When a node that was started at a time began to take part: with its first answer, where that came late. */
function findBegin({ facts: { node } }: TargetState, startedAt: number): number {
  const { at = startedAt, silentSince = at } = node?.returned ?? {};
  const isLate = at - startedAt >= START_MS / 2 && at - startedAt < SLOW_START_MS;
  // Where nobody has asked it right after its start, it may have answered all the time.
  return isLate && silentSince - startedAt < START_MS / 2 ? at : startedAt;
}

/**
 * Whether a container has run for less than a minute, or loops, which is no start. `crashes`: it is known to crash, though it may take
 * blocks meanwhile. Without a container its log tells.
 */
export function viewStart(state: TargetState, container: ContainerView, now: number, moment: StartMoment = {}) {
  const { silentMs = SILENT_START_MS, stoodSince } = moment;
  const { target, facts } = state;
  const { observation, latest } = facts.node ?? {};
  const runs = { isStarting: false, isLooping: false, crashes: false, startedAt: undefined };
  const begunAt = hasJustBegun(facts.container) ? now : startedAtOf({ state, container });
  const ranFrom = isStopped({ container }) ? undefined : begunAt;
  if (ranFrom === undefined) return runs;
  const startedAt = findBegin(state, ranFrom);
  if (now - startedAt >= START_MS) return runs;
  // One that has answered since, and no longer does, is not starting any more.
  const askedAfterMs = (checkOf(state, 'latest_block')?.lastRun ?? now) - startedAt;
  if (observation?.answered === false && (askedAfterMs >= silentMs || (latest?.lastGoodAt ?? 0) > startedAt))
    return runs;
  if (container.kind !== 'running') {
    // A minute after the first start that brought neither a block nor an answer, another one counts as none.
    const { failedFrom = startedAt } = facts.logs?.node ?? {};
    const loops = startedAt - failedFrom >= START_MS && (latest?.lastGoodAt ?? now) < failedFrom;
    return { isStarting: !loops, isLooping: loops, crashes: loops, startedAt };
  }
  // A node that takes blocks again runs, whatever came before. One that finds no peer only reads those that it has.
  const isAlone = target.component === 'node' && target.expectedPeers > 0 && countPeers(facts) === 0;
  const { height = 0, advancedAt = startedAt } = facts.logs?.node ?? {};
  const hasBlock = latest?.risen === true && latest.advancedAt > startedAt;
  const hasPrinted = latest !== undefined && height > latest.number && advancedAt > startedAt;
  const takesBlocks = observation?.answered === true && !isAlone && (hasBlock || hasPrinted);
  const crashes = crashesOn(state, startedAt, now);
  // No block comes in a halt, to whomever.
  const isUp = observation?.answered === true && !isAlone && stoodSince !== undefined && stoodSince <= startedAt;
  const loops = !takesBlocks && (crashes || (isLooping(facts.container, now) && !isUp));
  return { isStarting: !loops, isLooping: loops, crashes, startedAt };
}

/** The height of a node, as long as its last probe obtained one. */
export const heightOf = ({ facts: { node } }: TargetState): Progress | undefined =>
  node?.observation.latest.ok ? node.latest : undefined;

/** A node whose log has shown a new block within this time takes part, whether its RPC answers or not. */
const LOG_ALIVE_MS = 15_000;

/** A node that runs prints each block. Its lines are no later than those of the others, and where nothing listens any more, they go on. */
const NEXT_LINE_MS = 5_000;

/** Whether the last line with a new block shows that a node runs which does not answer. */
function isAliveByLog(state: TargetState, fault: Fault | undefined, { lastLine, now }: SubnetMoment): boolean {
  const { logs } = state.facts;
  const at = logs?.node?.advancedAt;
  if (logs === undefined || at === undefined) return false;
  const until = knownUntil(logs, now);
  if (until - at >= LOG_ALIVE_MS || Math.min(lastLine, until) - at >= NEXT_LINE_MS) return false;
  if (fault?.kind !== 'refused') return true;
  const failsSince = checkOf(state, 'latest_block')?.since ?? now;
  return at > failsSince || now - failsSince < NEXT_LINE_MS;
}

export function viewTarget(state: TargetState, setup: TargetSetup): TargetView {
  const { component, name } = state.target;
  const failing = collect(state.checks, ({ check, verdict }) =>
    verdict === 'fail' ? { component, name, check } : undefined,
  );
  // What was read of another container says nothing of the one in its place.
  const { id } = findContainer(state.facts.container) ?? {};
  const isOther = setup.container?.ok && id !== undefined && id !== setup.container.value.id;
  const current = isOther ? { ...setup, container: undefined } : setup;
  return { state, container: viewContainer(state), failing, setup: current };
}

/** What the view of each node of a subnet needs of the others. */
interface SubnetMoment extends Pick<SubnetView, 'stallAfterMs' | 'reference' | 'now' | 'toWall'> {
  /** How many blocks below the reference a node may be. */
  readonly maxLag: number;
  /** The highest that a node has had for longer than the stall limit, or before all that run were started: to come up to it is no new block. */
  readonly stoodAt: number;
  /** When the first node had the highest block. Who comes up to it later shows no new one. */
  readonly topSince: number;
  /** The highest that a node is known to have had by a time. To come up to that after a start is no new block either. */
  readonly heightAt: (at: number) => number;
  /** Since when the chain stands, in a halt. A block that was made after that is a new one, whatever its number. */
  readonly stoodSince: number;
  /** When a node of the chain last rose. */
  readonly lastRise: number;
  /** When a log last showed a new block. */
  readonly lastLine: number;
  /** How long after its start a node may be silent. */
  readonly silentMs: number;
  /** When a halt was seen to end. Who did not answer before may do so since. */
  readonly haltedUntil: number;
  /** Of these a node that is not asked yet is out. */
  readonly stillOut: ReadonlySet<string | undefined>;
}

type StartMoment = Partial<Pick<SubnetMoment, 'silentMs' | 'stoodSince'>>;

/** Whether a block was made when the chain had stood for the stall limit. One of the future shows that clocks differ. */
function isMadeInHalt(block: Progress | undefined, { stoodSince, stallAfterMs, now, toWall }: SubnetMoment): boolean {
  const madeAt = (block?.timestamp ?? 0) * 1_000;
  return madeAt > toWall(stoodSince) + stallAfterMs && madeAt <= toWall(now) + stallAfterMs;
}

/** Whether a rise to this height shows that the chain goes on: it is credible, and not that of a node that catches up. */
export const canBeWitness = (
  height: Pick<Progress, 'number'> | undefined,
  { reference, maxLag }: Pick<SubnetMoment, 'reference' | 'maxLag'>,
): boolean =>
  height === undefined || (isCredible(height.number, reference) && height.number >= (reference ?? maxLag) - maxLag);

/** Whether half of the nodes are above this one, and the chain has gone on since for longer than probes differ. */
const isLeftBehind = (
  { number, riseDueSince, passedAt = Number.POSITIVE_INFINITY }: Progress,
  { reference = number, lastRise, stallAfterMs }: SubnetMoment,
): boolean => number < reference && lastRise - Math.max(riseDueSince, passedAt) >= stallAfterMs / 2;

/** Whether a silent node takes its turns, or did before it was asked, by those that the chain counts as missed: the last two of each. */
function viewTurns(state: TargetState, { counted, consensus }: ChainView, moment: SubnetMoment): NodeView['unseen'] {
  const { reference, lastRise, stallAfterMs, now } = moment;
  if (counted === undefined || reference === undefined || now - lastRise >= stallAfterMs) return undefined;
  const { active, round, number } = counted.masternodes;
  const turns = 2 * active.length;
  const { latest } = state.facts.node ?? {};
  // A masternode that takes no part misses each of its turns, of which it has had two by so many blocks.
  if (latest && Math.min(number, reference) - latest.number < turns) return undefined;
  const { epochRound, rounds } = counted.missedRounds;
  const address = addressOf(state.facts);
  if (round - turns < epochRound || (address !== undefined && !active.includes(address))) return undefined;
  if (rounds.some((one) => one.round >= round - turns && (address ?? one.miner) === one.miner)) return undefined;
  // Or by this time, where no block of it is known since subnetd started.
  const askedMs = counted.at - (checkOf(state, 'latest_block')?.since ?? now);
  return latest || askedMs >= twoCyclesMs(active.length, consensus) ? 'votes' : 'voted';
}

export function viewNode(view: TargetView, target: NodeTarget, chain: ChainView, moment: SubnetMoment): NodeView {
  const { stallAfterMs, stoodAt, stillOut, haltedUntil, now } = moment;
  const { state, container } = view;
  const isForeign = chain.foreign.has(state);
  const { node, logs } = state.facts;
  const { observation, latest } = node ?? {};
  const height = heightOf(state);
  const fault = observation?.latest.ok === false ? observation.latest.fault : undefined;
  const answers = observation === undefined || (fault && isOwnFault(fault)) ? undefined : observation.answered;
  const peers = countPeers(state.facts);
  const { isStarting, isLooping, crashes, startedAt } = viewStart(state, container, now, moment);
  // What a node in a loop has read again from its peers is no new block once it has ended either.
  const ranFrom = isStopped({ container }) ? startedAtOf({ state, container }) : startedAt;
  const before = ranFrom === undefined ? Number.NEGATIVE_INFINITY : moment.heightAt(ranFrom);
  const isMadeNow = height !== undefined && isMadeInHalt(height, moment) && isMadeInHalt(node?.committed, moment);
  // After a restart of subnetd its own time shows that a block is new. One failed probe takes back nothing.
  const hasNewSince = (at: number) =>
    latest !== undefined &&
    ((latest.timestamp ?? 0) * 1_000 > moment.toWall(at) ||
      (latest.risen && latest.advancedAt > at && (latest.number > before || isMadeNow)));
  // Where its RPC does not say its height, or not yet, its log does.
  const hasPrintedSince = (at: number, { height: number = before, advancedAt = at }: NodeLogFacts = {}) =>
    number > Math.max(before, height?.number ?? before) && advancedAt > at && canBeWitness({ number }, moment);
  const rises =
    !isForeign &&
    ((height?.risen === true && within(height.advancedAt, stallAfterMs, now)) ||
      // The log is a second witness of a node that does not answer. That of a node that answers adds nothing.
      (observation?.answered !== true && within(logs?.node?.advancedAt, stallAfterMs, now)));
  const unseen = fault && (isBarred(fault) ? 'barred' : viewTurns(state, chain, moment));
  const isLogAlive = isAliveByLog(state, fault, moment);
  const isSilent = answers === false && unseen === undefined && !isLogAlive && askedAt(state) > haltedUntil;
  const isWitness = canBeWitness(height, moment);
  const isOld = height !== undefined && height.lastGoodAt - moment.topSince >= stallAfterMs;
  // The latest block may be a header far ahead of what the node has, which its log shows if it was read since its start.
  const { startedAt: loggedFrom = Number.NEGATIVE_INFINITY, height: printed = Number.POSITIVE_INFINITY } =
    logs?.node ?? {};
  const own = latest && { number: isOfRun(loggedFrom, startedAt) ? Math.min(latest.number, printed) : latest.number };
  // A block that is no higher than the last one may be lost again, until one is committed.
  const isNew =
    (((observation?.answered === true ? height?.number : logs?.node?.height) ?? Number.POSITIVE_INFINITY) >
      Math.max(stoodAt, before) &&
      !isOld &&
      // Taken again after a fall, a block is no new one.
      (height?.timestamp ?? Number.POSITIVE_INFINITY) > (height?.fall?.timestamp ?? 0)) ||
    isMadeNow;
  const isRepeating =
    height !== undefined && height.number <= stoodAt && within(height.riseDueSince, stallAfterMs, now);
  // Each member by its name: what is spread into a literal takes three times its memory.
  return {
    state,
    container,
    failing: view.failing,
    setup: view.setup,
    // What the inventory names wrongly names no file of the node either.
    target: container.kind === 'elsewhere' ? { ...target, container: undefined } : target,
    name: target.name,
    chainFacts: node?.chain,
    address: addressOf(state.facts),
    answers,
    fault,
    height,
    isWitness,
    rises: rises && isWitness && isNew,
    isRepeating,
    isStalled: height !== undefined && !rises && isLeftBehind(height, moment),
    peers,
    isLogAlive,
    unseen,
    isForeign,
    isStarting,
    crashes,
    takesBlocks:
      startedAt !== undefined &&
      ((canBeWitness(own, moment) && hasNewSince(startedAt)) || hasPrintedSince(startedAt, logs?.node)),
    isOut:
      isForeign ||
      isStopped(view) ||
      hasEndedUnseen(state) ||
      isLooping ||
      isSilent ||
      (peers === 0 && target.expectedPeers > 0 && !isStarting) ||
      hasLostNetwork({ container, height }) ||
      (!observation && stillOut.has(target.name)),
  };
}
