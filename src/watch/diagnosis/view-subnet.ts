import { highest, reachedByHalf } from '../../lib/numbers.ts';
import { collect } from '../../lib/values.ts';
import { isCredible } from '../../model/chain.ts';
import { addressOf, countPeers } from '../../model/facts.ts';
import { indexProblems, type Problem, type ProblemIndex } from '../../model/problem.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import { findSilentMs, START_MS } from '../../model/restart-cause.ts';
import { setupOf } from '../../model/setup.ts';
import type { TargetState } from '../../model/snapshot.ts';
import type { SubnetFacts } from '../../model/subnet-facts.ts';
import { type Subnet, subjectKey } from '../../model/target.ts';
import { type ChainView, isOfRunBefore, viewChain } from './chain-view.ts';
import { viewNextSet } from './find-next-set.ts';
import {
  findNeverSigned,
  findQuorum,
  findSilentVoters,
  findStallMs,
  listVoters,
  requiredVotes,
  type VoteFacts,
} from './quorum.ts';
import {
  ASKED_WITHIN_MS,
  awaitsPeers,
  checkOf,
  findsPeers,
  heardSince,
  isMissing,
  losesPeers,
  type NodeView,
  type SubnetView,
  type TargetView,
  viewEngines,
} from './subnet-view.ts';
import { canBeWitness, heightOf, viewNode, viewStart, viewTarget } from './view-node.ts';
import { viewRelayer } from './view-relayer.ts';

/** What Docker says of a node that takes no block. */
export const OF_DOCKER: readonly ProblemName[] = ['container_down', 'container_paused', 'container_restarting'];

/** While one of these lasts, a node, or in a halt each, takes no block. */
export const STOPPING: readonly ProblemName[] = ['subnet_halted', 'node_down', 'node_hanging', ...OF_DOCKER];

/** After one of these is over, a node still has to find its peers and to take the blocks that it has missed; after a halt all nodes. */
export const RECOVERED_FROM: readonly ProblemName[] = [
  'node_partitioned',
  'rpc_closed',
  'other_chain',
  'out_of_memory',
  ...STOPPING,
];

/** What nodes, or all of them after a halt, came back from less than a minute ago. Of a crash, which stays for minutes, the container tells. */
export const findRecovering = (before: ProblemIndex<Problem>, now: number): readonly Problem[] =>
  before.values.filter(
    ({ problem, state, clearingSince = now }) =>
      RECOVERED_FROM.includes(problem) &&
      state !== 'suspected' &&
      problem !== 'container_restarting' &&
      now - clearingSince < START_MS,
  );

/** The nodes that came, or came back, less than a minute ago. After a restart of subnetd only a stored problem tells that one was gone. */
function findJoining(nodes: readonly NodeView[], before: ProblemIndex<Problem>, now: number): ReadonlySet<string> {
  const recovering = new Set(findRecovering(before, now).map(({ name }) => name));
  /** Whether the height of a node shows that it has answered again for less than a minute. */
  const hasReturned = ({ height }: NodeView) =>
    height !== undefined && height.riseDueSince > height.advancedAt && now - height.riseDueSince < START_MS;
  const joins = (node: NodeView) =>
    node.isStarting || (!node.isOut && (hasReturned(node) || recovering.has(node.name)));
  return new Set(nodes.filter(joins).map(({ name }) => name));
}

/**
 * Finds the highest that a node is known to have had by a time, even if it has been restarted after that. A line may be read late: it is of
 * before if it was printed by `printedBy`. Many nodes have few heights, so that many starts are not compared with each node.
 */
function createHeightAt(states: readonly TargetState[], isPossible: SubnetView['isPossible']) {
  /** When a height was first answered, and first printed, and until when a node had it that has fallen since. */
  const times = new Map<number, { answered: number; printed: number; until: number }>();
  const add = (height: number | undefined, { answered = Infinity, printed = Infinity, until = -Infinity }) => {
    if (height === undefined || !isPossible(height)) return;
    const known = times.get(height) ?? { answered, printed, until };
    times.set(height, {
      answered: Math.min(known.answered, answered),
      printed: Math.min(known.printed, printed),
      until: Math.max(known.until, until),
    });
  };
  for (const { node, logs } of states.map(({ facts }) => facts)) {
    const { number, advancedAt, fall } = node?.latest ?? {};
    add(number, { answered: advancedAt });
    add(fall?.from, { until: fall?.at });
    add(logs?.node?.height, { printed: logs?.node?.advancedAt ?? -Infinity });
    add(logs?.node?.heightBefore, { answered: -Infinity });
  }
  const falling = [...times].toSorted(([one], [other]) => other - one);
  return (at: number, printedBy = at): number =>
    falling.find(([, one]) => one.answered <= at || one.printed <= printedBy || one.until >= at)?.[0] ?? -Infinity;
}

/** When the last lines of the chain before a halt were printed, at the latest. */
const lastLineOf = ({ since, seenAt }: Problem): number => Math.min(since + ASKED_WITHIN_MS, seenAt);

/** When its last block came to a node, at the latest. One that came after that may be seen once the halt was found again. */
const lastRiseOf = ({ since, seenAt }: Problem): number => Math.max(since, seenAt - ASKED_WITHIN_MS);

/** Whether a halt needed no silent node to end: enough for a block have answered since before it. */
function endsWithoutSilent(halt: Problem | undefined, states: readonly TargetState[], chain: ChainView): boolean {
  const { masternodes: { active } = {}, consensus } = chain;
  const nodes = states.filter(({ target }) => target.component === 'node');
  const there = nodes.filter(
    ({ facts }) =>
      facts.node?.observation.answered === true &&
      (facts.node.returned?.at ?? 0) < (halt?.since ?? 0) &&
      (active?.includes(addressOf(facts) ?? '') ?? true),
  );
  return there.length >= requiredVotes(active?.length ?? nodes.length, consensus?.certificateThreshold);
}

/** When a halt was seen to end, by a block above all from before it; long ago without one, or while it lasts. */
function findHaltEnd(halt: Problem | undefined, views: readonly TargetView[], stoodAt: number, now: number): number {
  if (halt === undefined) return Number.NEGATIVE_INFINITY;
  const isNew = (number = stoodAt, at = 0, by = lastRiseOf(halt)) => number > stoodAt && at > by;
  const isOver = views.some(({ state: { facts } }) => {
    const { latest } = facts.node ?? {};
    const { height, heightBefore, advancedAt = 0, startedAt = Number.NEGATIVE_INFINITY } = facts.logs?.node ?? {};
    // The first height after a start is the last one before it.
    const isPrinted = heightBefore !== undefined || advancedAt - startedAt >= START_MS;
    return (
      (latest?.risen && isNew(latest.number, latest.advancedAt)) ||
      (isPrinted && isNew(height, advancedAt, lastLineOf(halt)))
    );
  });
  return halt.clearingSince ?? (isOver ? now : Number.NEGATIVE_INFINITY);
}

/** The nodes of masternodes, by their addresses. Of several with one key it is one that takes part. */
function findMasters(nodes: readonly NodeView[], { masternodes }: ChainView): ReadonlyMap<string, NodeView> {
  const { active = [], penalised = [] } = masternodes ?? {};
  const addresses = new Set([...active, ...penalised]);
  const own = nodes.filter(({ isForeign, address = '' }) => !isForeign && addresses.has(address));
  const [out, present] = [own.filter(({ isOut }) => isOut), own.filter(({ isOut }) => !isOut)];
  return new Map([...out, ...present.toReversed()].map((node) => [node.address ?? '', node]));
}

/** The nodes that run with one key of a masternode, where several do. What was started since it was asked may have another one. */
function findSharedKeys(nodes: readonly NodeView[], masters: SubnetView['masters']): SubnetView['sharedKeys'] {
  const isAsked = ({ answers, state }: NodeView) => answers === true && !isOfRunBefore(state);
  const running = nodes.filter((node) => isAsked(node) && !node.isForeign && masters.has(node.address ?? ''));
  return new Map([...Map.groupBy(running, ({ address = '' }) => address)].filter(([, ones]) => ones.length > 1));
}

/** The silent masternodes whose key no node has, less one for each node that is out, or not asked yet, and may have it. */
function findOrphans({ nodes, silentVoters, masters }: VoteFacts): readonly string[] {
  const isUnasked = ({ state, answers, chainFacts }: NodeView) =>
    checkOf(state, 'latest_block')?.verdict === 'unknown' ||
    (answers === true && (chainFacts?.observation.missing.address ?? 'no-answer') === 'no-answer');
  const unknown = nodes.filter(
    (node) => (node.isForeign || node.address === undefined) && (isMissing(node) || isUnasked(node)),
  );
  return [...silentVoters.keys()].filter((address) => !masters.has(address)).slice(unknown.length);
}

/** While one of these lasts, a masternode has no node that signs for it. */
export const KEY_LOST: readonly ProblemName[] = ['masternode_missing', 'key_shared'];

/** Brings together what is known of a subnet. `before`: its problems so far. */
export function viewSubnet(
  subnet: Subnet,
  states: readonly TargetState[],
  now: number,
  facts: SubnetFacts = {},
  before: ProblemIndex<Problem> = indexProblems<Problem>([]),
  toWall: SubnetView['toWall'] = (at) => at,
): SubnetView {
  const fork = before.get({ problem: 'chain_forked' });
  const reached = reachedByHalf(collect(states, heightOf).map(({ number }) => number));
  const forked = (fork?.state !== 'clearing' && fork?.nodes) || [];
  const chain = viewChain(states, forked, reached);
  const { stallAfterMs: configured, isStallAuto, maxLag } = subnet.settings.rpc;
  const stallAfterMs = (isStallAuto ? findStallMs(chain) : undefined) ?? configured;
  const views = states.map((state) => viewTarget(state, setupOf(facts.setup?.observation, state.target)));
  const ofChain = views.filter(({ state }) => !chain.foreign.has(state));
  const heights = collect(ofChain, ({ state }) => heightOf(state));
  const reference = reachedByHalf(heights.map(({ number }) => number));
  const against = { reference, maxLag };
  const isReplaced = before.get({ problem: 'chain_replaced' }) !== undefined;
  const isPossible = (height: number) =>
    isCredible(height, reference) && !(isReplaced && height > 2 * (reference ?? height));
  const heightAt = createHeightAt(
    ofChain.map(({ state }) => state),
    isPossible,
  );
  const halt = before.get({ problem: 'subnet_halted' });
  // A node that is alone, or has just started, shows nothing.
  const shown = collect(ofChain, ({ state, container }) =>
    countPeers(state.facts) === 0 || viewStart(state, container, now).isStarting ? undefined : heightOf(state),
  );
  const top = highest(shown.map(({ number }) => number).filter(isPossible));
  // Nodes had these for longer than the stall limit, or in a halt from before it.
  const stood = shown.filter(({ advancedAt }) => advancedAt <= now - stallAfterMs - ASKED_WITHIN_MS);
  const open = halt?.state === 'open' ? halt : undefined;
  const had = open ? heightAt(lastRiseOf(open), lastLineOf(open)) : Number.NEGATIVE_INFINITY;
  const stoodAt = Math.max(had, highest(stood.map(({ number }) => number).filter(isPossible)));
  const haltedUntil = findHaltEnd(halt, ofChain, stoodAt, now);
  const rises = heights.filter((height) => height.risen && canBeWitness(height, against));
  const gone = before.values.filter(({ problem, state }) => RECOVERED_FROM.includes(problem) && state === 'open');
  const moment = {
    ...against,
    stallAfterMs,
    stoodAt,
    topSince: Math.min(...shown.flatMap(({ number, advancedAt }) => (number === top ? advancedAt : []))),
    heightAt,
    stoodSince: open?.since ?? Number.POSITIVE_INFINITY,
    lastRise: highest(rises.map(({ advancedAt }) => advancedAt)),
    lastLine: highest(collect(ofChain, ({ state }) => state.facts.logs?.node?.advancedAt)),
    stillOut: new Set(gone.map(({ name }) => name)),
    haltedUntil: endsWithoutSilent(halt, states, chain) ? Number.NEGATIVE_INFINITY : haltedUntil,
    silentMs: findSilentMs(states),
    now,
    toWall,
  };
  const targets = views.map((view): TargetView | NodeView =>
    view.state.target.component === 'node' ? viewNode(view, view.state.target, chain, moment) : view,
  );
  const byKey = new Map(targets.map((one) => [subjectKey(one.state.target), one]));
  const nodes = targets.filter((one) => 'target' in one);
  const services = targets.filter((one) => !('target' in one));
  // The pool of a node on a branch of its own has its votes for that.
  const onChain = nodes.filter(({ name }) => !forked.includes(name));
  const signers = { nodes, chain, masters: findMasters(nodes, chain), neverSigned: findNeverSigned(onChain) };
  const isKeyLost = before.values.some(({ problem, state }) => KEY_LOST.includes(problem) && state === 'open');
  const known = { ...signers, silentVoters: findSilentVoters(signers, isKeyLost, now) };
  const joining = findJoining(nodes, before, now);
  const isAbsent = ({ isOut, name, state }: NodeView) =>
    isOut || joining.has(name) || losesPeers(state) || awaitsPeers(state, now) || findsPeers(state, now);
  return {
    subnet,
    facts,
    before,
    targets,
    targetOf: (one) => byKey.get(subjectKey(one)),
    services,
    relayer: viewRelayer(services, facts),
    engines: viewEngines(states),
    reference,
    isPossible,
    ...known,
    voters: listVoters(known),
    orphans: findOrphans(known),
    sharedKeys: findSharedKeys(nodes, known.masters),
    quorum: findQuorum(known),
    nextSet: viewNextSet(known, facts, now),
    stallAfterMs,
    heardFrom: Math.min(...nodes.map(({ state }) => heardSince(state))),
    joining,
    haltedUntil,
    absent: new Set(nodes.filter(isAbsent).map(({ name }) => name)),
    now,
    toWall,
  };
}
