import type { Progress } from '../../model/facts.ts';
import { type Fault, isBarred, isOwnFault } from '../../model/observation.ts';
import type { ExplainedCheck, Problem } from '../../model/problem.ts';
import { setupOf, type TargetSetup } from '../../model/setup.ts';
import type { TargetState } from '../../model/snapshot.ts';
import type { SubnetFacts } from '../../model/subnet-facts.ts';
import type { NodeTarget, Subnet } from '../../model/target.ts';
import { isCredible } from '../rules/view.ts';
import { type ChainView, viewChain } from './chain-view.ts';
import { findJoining, findStillOut } from './find-joining.ts';
import { findNeverSigned, findSilentVoters } from './find-silent-voters.ts';
import { findHaltEnd, findStoodAt, heightOf } from './find-stood-at.ts';
import { indexProblems, type ProblemIndex } from './problem-index.ts';
import { findQuorum, findReference, findStallMs } from './quorum.ts';
import {
  askedAt,
  checkOf,
  type ExposureMemory,
  isDown,
  type NodeView,
  type SubnetView,
  type TargetView,
} from './subnet-view.ts';
import { viewContainer, viewStart, within } from './view-container.ts';

/** A node whose log has shown a new block within this time takes part, whether its RPC answers or not. */
const LOG_ALIVE_MS = 15_000;

/** A node that runs prints each block. Its lines are no later than those of the others, and where nothing listens any more, they go on. */
const NEXT_LINE_MS = 5_000;

/** Whether the last line with a new block, of `at`, shows that a node runs which does not answer. */
function isAliveByLog(
  state: TargetState,
  at: number | undefined,
  fault: Fault | undefined,
  { lastLine, now }: Moment,
): boolean {
  if (at === undefined || now - at >= LOG_ALIVE_MS || lastLine - at >= NEXT_LINE_MS) return false;
  if (fault?.kind !== 'refused') return true;
  const failsSince = checkOf(state, 'latest_block')?.since ?? now;
  return at > failsSince || now - failsSince < NEXT_LINE_MS;
}

const NONE: readonly ExplainedCheck[] = [];

/** Most checks pass: of thousands of targets only those with a failing check cost an array, of its exact length. */
function findFailing({ target: { component, name }, checks }: TargetState): readonly ExplainedCheck[] {
  let failing = NONE;
  for (const { check, verdict } of checks) {
    if (verdict !== 'fail') continue;
    const one = { component, name, check };
    failing = failing === NONE ? [one] : [...failing, one];
  }
  return failing;
}

/** What the view of each node of a subnet needs of the others. */
interface Moment {
  readonly stallAfterMs: number;
  readonly reference: number | undefined;
  /** How many blocks below the reference a node may be. */
  readonly maxLag: number;
  /** The highest that a node has had for longer than the stall limit. To come up to it is no new block. */
  readonly stoodAt: number;
  /** When a node of the chain last rose. */
  readonly lastRise: number;
  /** When a log last showed a new block. */
  readonly lastLine: number;
  /** When a halt was seen to end. Who did not answer before may do so since. */
  readonly haltedUntil: number;
  /** Of these a node that is not asked yet is out. */
  readonly stillOut: ReadonlySet<string | undefined>;
  readonly now: number;
}

/**
 * Whether a rise to this height shows that the chain goes on. It does not where the height is not credible, or far below the
 * reference, as that of a node that catches up. A node without a height claims nothing.
 */
const canBeWitness = (
  height: Progress | undefined,
  { reference, maxLag }: Pick<Moment, 'reference' | 'maxLag'>,
): boolean =>
  height === undefined ||
  reference === undefined ||
  (isCredible(height.number, reference) && height.number >= reference - maxLag);

function findLastRise(heights: readonly Progress[], against: Pick<Moment, 'reference' | 'maxLag'>): number {
  let last = Number.NEGATIVE_INFINITY;
  for (const height of heights)
    if (height.risen && height.advancedAt > last && canBeWitness(height, against)) last = height.advancedAt;
  return last;
}

/** Nodes are probed one after another: those that stop at one height are seen to do so within this time. */
const SPREAD_MS = 20_000;

/**
 * Whether half of the nodes are above this one, and the chain has gone on for half of the stall limit since. When all
 * nodes stop at once, or go on at once, some are probed earlier than others: that difference is less than half of the limit.
 */
const isLeftBehind = (
  { number, riseDueSince, passedAt = Number.POSITIVE_INFINITY }: Progress,
  { reference = number, lastRise, stallAfterMs }: Moment,
): boolean => number < reference && lastRise - Math.max(riseDueSince, passedAt) >= stallAfterMs / 2;

/** Whether the turns that the chain counts as missed show that a silent node takes its own: the last two of each masternode were since. */
function takesTurns({ facts: { node } }: TargetState, { counted }: ChainView, moment: Moment) {
  const { reference, lastRise, stallAfterMs, now } = moment;
  if (counted === undefined || reference === undefined || now - lastRise >= stallAfterMs) return false;
  const { active, round, number } = counted.masternodes;
  // A masternode that takes no part misses each of its turns, of which it has had two by so many blocks.
  const since = node?.latest?.number ?? Number.NEGATIVE_INFINITY;
  if (Math.min(number, reference) - since < 2 * active.length) return false;
  const { epochRound, rounds } = counted.missedRounds;
  const oldest = round - 2 * active.length;
  const address = node?.chain?.observation.address;
  if (oldest < epochRound || (address !== undefined && !active.includes(address))) return false;
  return !rounds.some((one) => one.round >= oldest && (address ?? one.miner) === one.miner);
}

function viewNode(
  state: TargetState,
  target: NodeTarget,
  setup: TargetSetup,
  chain: ChainView,
  moment: Moment,
): NodeView {
  const { stallAfterMs, stoodAt, stillOut, haltedUntil, now } = moment;
  const isForeign = chain.foreign.has(state);
  const { node, logs } = state.facts;
  const { observation } = node ?? {};
  const height = heightOf(state);
  const container = viewContainer(state);
  const fault = observation?.latest.ok === false ? observation.latest.fault : undefined;
  const answers = observation === undefined || (fault && isOwnFault(fault)) ? undefined : observation.answered;
  const { advancedAt: risenAt, height: logged } = logs?.node ?? {};
  const peers = observation?.peers?.ok ? observation.peers.value.count : undefined;
  const { isStarting, isLooping } = viewStart(state, container, now);
  const rises =
    !isForeign &&
    ((height?.risen === true && within(height.advancedAt, stallAfterMs, now)) ||
      // The log is a second witness of a node that does not answer. That of a node that answers adds nothing.
      (observation?.answered !== true && within(risenAt, stallAfterMs, now)));
  const unseen =
    answers !== false || fault === undefined || isDown(container)
      ? undefined
      : isBarred(fault)
        ? 'barred'
        : takesTurns(state, chain, moment)
          ? 'votes'
          : undefined;
  const isLogAlive = isAliveByLog(state, risenAt, fault, moment);
  const isSilent = answers === false && unseen === undefined && !isLogAlive && askedAt(state) > haltedUntil;
  const isAlone = peers === 0 && target.expectedPeers > 0 && !isStarting;
  const isWitness = canBeWitness(height, moment);
  const isNew = ((observation?.answered === true ? height?.number : logged) ?? Number.POSITIVE_INFINITY) > stoodAt;
  const isRepeating =
    height !== undefined && height.number <= stoodAt && within(height.riseDueSince, stallAfterMs, now);
  return {
    state,
    container,
    failing: findFailing(state),
    setup,
    target,
    name: target.name,
    chainFacts: node?.chain,
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
    isOut:
      isForeign || isDown(container) || isLooping || isSilent || isAlone || (!observation && stillOut.has(target.name)),
  };
}

/** The nodes of masternodes, by their addresses. Of several with one key it is one that takes part. */
function findMasters(nodes: readonly NodeView[], { masternodes }: ChainView): ReadonlyMap<string, NodeView> {
  const { active = [], penalised = [] } = masternodes ?? {};
  const addresses = new Set([...active, ...penalised]);
  const masters = new Map<string, NodeView>();
  for (const node of nodes) {
    const address = node.isForeign ? undefined : node.chainFacts?.observation.address;
    if (address === undefined || !addresses.has(address)) continue;
    if (masters.get(address)?.isOut !== false) masters.set(address, node);
  }
  return masters;
}

const NOTHING_BEFORE: ProblemIndex<Problem> = indexProblems([]);

/** Brings together what is known of a subnet. `before`: its problems so far. */
export function viewSubnet(
  subnet: Subnet,
  states: readonly TargetState[],
  now: number,
  facts: SubnetFacts = {},
  exposures: ExposureMemory = new WeakMap(),
  before = NOTHING_BEFORE,
): SubnetView {
  const chain = viewChain(states);
  const { stallAfterMs: configured, isStallAuto, maxLag } = subnet.settings.rpc;
  const stallAfterMs = (isStallAuto ? findStallMs(chain) : undefined) ?? configured;
  const ofChain = chain.foreign.size === 0 ? states : states.filter((state) => !chain.foreign.has(state));
  const heights: Progress[] = [];
  let lastLine = Number.NEGATIVE_INFINITY;
  for (const state of ofChain) {
    const height = heightOf(state);
    if (height !== undefined) heights.push(height);
    const { advancedAt } = state.facts.logs?.node ?? {};
    if (advancedAt !== undefined && advancedAt > lastLine) lastLine = advancedAt;
  }
  const reference = findReference(heights);
  const against = { reference, maxLag };
  const halt = before.get({ problem: 'subnet_halted' });
  const stoodAt = findStoodAt(ofChain, reference, now - stallAfterMs - SPREAD_MS, now, halt);
  const stillOut = findStillOut(before);
  const haltedUntil = findHaltEnd(halt, ofChain, stoodAt, now);
  const moment = {
    ...against,
    stallAfterMs,
    stoodAt,
    lastRise: findLastRise(heights, against),
    lastLine,
    stillOut,
    haltedUntil,
    now,
  };
  const nodes: NodeView[] = [];
  const services: TargetView[] = [];
  let askedSince = Number.POSITIVE_INFINITY;
  const targets = states.map((state) => {
    const setup = setupOf(facts.setup?.observation, state.target);
    if (state.target.component === 'node') {
      const node = viewNode(state, state.target, setup, chain, moment);
      nodes.push(node);
      askedSince = Math.min(askedSince, askedAt(state));
      return node;
    }
    const service = { state, container: viewContainer(state), failing: findFailing(state), setup };
    services.push(service);
    return service;
  });
  const masters = findMasters(nodes, chain);
  const neverSigned = findNeverSigned(nodes);
  const silentVoters = findSilentVoters(nodes, chain, masters, neverSigned, now);
  const voters = { nodes, chain, masters, silentVoters };
  const joining = findJoining(nodes, before, now);
  return {
    subnet,
    facts,
    targets,
    services,
    reference,
    neverSigned,
    ...voters,
    quorum: findQuorum(voters),
    stallAfterMs,
    askedSince,
    joining,
    haltedUntil,
    absent: nodes.filter(({ isOut, name }) => isOut || joining.has(name)).length,
    exposures,
    now,
  };
}
