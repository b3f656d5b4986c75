import { formatDuration } from '../../lib/duration.ts';
import { highest } from '../../lib/numbers.ts';
import { formatCount, listEach, listNames, shorten } from '../../lib/words.ts';
import type { Problem, Suspicion } from '../../model/problem.ts';
import { clientOf } from '../clients/clients.ts';
import { isCredible } from '../rules/view.ts';
import { describeReturn } from './find-epoch.ts';
import { findForeignCommittee } from './find-foreign-committee.ts';
import { findOrphans } from './find-key-problems.ts';
import { findLostState } from './find-lost-state.ts';
import { findSplitRounds } from './find-split-rounds.ts';
import { findUnseen, NETWORK_FAULTS } from './find-unseen.ts';
import type { ProblemIndex } from './problem-index.ts';
import { createIsVoter, findIdle, requiredVotes, withoutIdle } from './quorum.ts';
import { checkOf, isMissing, isStopped, type NodeView, type SubnetView, stalledMs } from './subnet-view.ts';
import { explainEach, suspect } from './suspect.ts';

const namesOf = (nodes: readonly NodeView[]): string => listEach(nodes, ({ name }) => name);

/** A node that takes no part, with the reason. */
function describeOut(node: NodeView): string {
  const { name, container, peers } = node;
  if (isStopped(node)) return `${name} (${container.kind === 'missing' ? 'no container' : container.kind})`;
  if (node.isForeign) return `${name} (on another chain)`;
  return peers === 0 ? `${name} (no peers)` : `${name} (does not answer)`;
}

const describeStarting = (nodes: readonly NodeView[]): string =>
  nodes.length === 0
    ? ''
    : `; ${namesOf(nodes)} started less than a minute ago and ${nodes.length === 1 ? 'does' : 'do'} not answer yet`;

/** The checks that fail because no block comes. */
export const explainHalt = ({ targets }: SubnetView) =>
  explainEach(targets, 'latest_block', 'log_block', 'submissions', 'block_data');

const GONE_FAULTS: readonly (string | undefined)[] = ['refused', ...NETWORK_FAULTS];

/**
 * Whether a node is known to be out. A broken connection proves nothing, as the next probe shows whether the node is there. Nor does a
 * single answer that did not come in time.
 */
function isGone(node: NodeView, { stallAfterMs, now }: SubnetView): boolean {
  if (!node.isOut || isStopped(node)) return node.isOut;
  const { kind } = node.fault ?? {};
  const answeredAt = node.state.facts.node?.latest?.lastGoodAt ?? Number.NEGATIVE_INFINITY;
  return GONE_FAULTS.includes(kind) && (kind !== 'timeout' || now - answeredAt >= stallAfterMs);
}

interface Block {
  readonly number: number;
  readonly since: number;
}

/** The last block, and when it was first seen: nodes below may have come up to it later. */
const lastOf = (blocks: readonly Block[]): Block | undefined =>
  blocks.toSorted((one, other) => other.number - one.number || one.since - other.since)[0];

/**
 * The last block by the answers of nodes, or one above it that a log shows before its node is asked again. What nodes repeat when they
 * or subnetd were started again says nothing, but in a halt that goes on.
 */
function findLastBlock({ nodes, reference }: SubnetView, goesOn: boolean): Block | undefined {
  const answered = lastOf(
    nodes.flatMap(({ height, isWitness, isRepeating }) =>
      height && isWitness && (goesOn || !isRepeating) ? [{ number: height.number, since: height.riseDueSince }] : [],
    ),
  );
  if (answered === undefined) return undefined;
  const logged = nodes.flatMap(({ isForeign, state }) => {
    const { height: number, advancedAt: since } = state.facts.logs?.node ?? {};
    if (isForeign || number === undefined || since === undefined) return [];
    return number > answered.number && isCredible(number, reference) ? [{ number, since }] : [];
  });
  return lastOf(logged) ?? answered;
}

/** No node has made or received a block for the stall limit. Once open, a halt lasts until there is a new block, not until the nodes are back. */
function findHalt(view: SubnetView, before: ProblemIndex<Problem>): Suspicion | undefined {
  const { nodes, now, stallAfterMs } = view;
  if (nodes.length === 0 || nodes.some(({ rises }) => rises)) return undefined;
  const halt = before.get({ problem: 'subnet_halted' });
  const isOpen = halt?.state === 'open';
  if (isOpen && view.haltedUntil === now) return undefined;
  // A node that has just started counts as one that can vote.
  const starting = nodes.filter(({ isOut, isStarting }) => isOut && isStarting);
  const out = nodes.filter(({ isOut, isStarting }) => isOut && !isStarting);
  const seenLast = findLastBlock(view, isOpen);
  // After a restart of subnetd the block was first seen long after it came.
  const last = seenLast && { ...seenLast, since: isOpen ? Math.min(seenLast.since, halt.since) : seenLast.since };
  const joining = nodes.filter(({ isOut, name }) => !isOut && view.joining.has(name));
  const { total, required, voting } = view.quorum ?? { total: 0, required: 0, voting: 0 };
  const lasts = isOpen && starting.length + joining.length > 0;
  // Without any height only nodes that are known to be out prove a halt, if the others are too few.
  const isFound =
    last === undefined
      ? voting < required && nodes.every((node) => isGone(node, view))
      : now - last.since >= stallAfterMs;
  if (!isFound && !lasts) return undefined;
  const found =
    last === undefined
      ? 'no node runs and answers'
      : `no block after ${last.number} for ${formatDuration(now - last.since)}`;
  const seen = isFound ? found : 'no node has shown a new block yet';
  const foreign = findForeignCommittee(view);
  // Nodes that are back in a lower round come up to the others by themselves.
  const findSplit = () => (joining.length === 0 ? findSplitRounds(view, last?.since ?? now) : undefined);
  const cause = foreign ?? (voting < required ? undefined : (findLostState(view) ?? findSplit()));
  return suspect('subnet_halted', {
    lastedMs: last && now - last.since,
    summary: 'the subnet is halted',
    evidence: `${seen}; ${Math.max(voting - starting.length, 0)} of ${total} masternodes can vote, ${required} needed${out.length === 0 ? '' : `, without ${listEach(out, describeOut)}`}${describeStarting(starting)}${cause === undefined ? '' : `; ${cause.seen}`}`,
    fix: foreign
      ? foreign.fix
      : voting < required
        ? `bring back ${namesOf(out)}: ${required - voting} more must vote; restart no other node`
        : starting.length > 0
          ? `wait until ${namesOf(starting)} ${starting.length === 1 ? 'answers' : 'answer'}, a minute at most, and restart no other node`
          : joining.length > 0 && cause === undefined
            ? `wait a minute for ${namesOf(joining)}, which ${joining.length === 1 ? 'is just back and joins' : 'are just back and join'} the round after some time-outs; restart no other node`
            : (cause?.fix ??
              'enough nodes answer, so see that they reach each other (p2p ports) and are on one chain, and read the log of one: it names the round that times out'),
    explains: explainHalt(view),
    causes: [{ problem: 'quorum_at_risk' }, { problem: 'finality_stalled' }],
  });
}

/** Each node is asked again within this time. What is seen of one may be this much older than what is seen of another. */
const SEEN_LATER_MS = 20_000;

/** All vote, but none is to spare, since the chain has left out those that it has penalised. */
function findShrunk({ chain, masters }: SubnetView, total: number): Suspicion | undefined {
  const penalised = chain.masternodes?.penalised ?? [];
  const all = total + penalised.length;
  const [first] = penalised;
  // A chain that never had a vote to spare has lost none.
  if (first === undefined || requiredVotes(all, chain.consensus?.certificateThreshold) === all) return undefined;
  const names = listEach(penalised, (address) => masters.get(address)?.name ?? shorten(address));
  const are = penalised.length === 1 ? 'is' : 'are';
  return suspect('quorum_at_risk', {
    about: names,
    summary: `no node may fail, because ${names} ${are} penalised`,
    evidence: `${all} masternodes were chosen, ${names} ${are} penalised, and each of the other ${total} must vote`,
    fix: `restart no other node until ${names} ${penalised.length === 1 ? 'takes' : 'take'} part again; ${describeReturn(chain, first)}`,
  });
}

/** Whether blocks came after the last of these nodes had failed. Then their votes are not missing, whatever keeps them from answering. */
function goesOnWithout(missing: readonly NodeView[], { nodes, now }: SubnetView): boolean {
  const lastRise = highest(
    nodes.map(({ rises, height, state }) => (rises && (height ?? state.facts.logs?.node)?.advancedAt) || 0),
  );
  const failedAt = missing.map(({ answers, state }) =>
    answers === false ? (state.facts.node?.latest?.lastGoodAt ?? checkOf(state, 'latest_block')?.since ?? now) : now,
  );
  return missing.length > 0 && lastRise - highest(failedAt) >= SEEN_LATER_MS;
}

/** The subnet goes on, but halts when one more node fails. */
function findRisk(view: SubnetView, isAfterHalt: boolean): Suspicion | undefined {
  const { silentVoters } = view;
  const nodes = view.nodes.filter(createIsVoter(view));
  if (view.quorum === undefined || !view.nodes.some(({ rises }) => rises)) return undefined;
  const idle = findIdle(view, isAfterHalt);
  const { total, required, voting } = withoutIdle(view.quorum, idle);
  if (voting > required) return undefined;
  if (voting === total) return findShrunk(view, total);
  const silent = nodes.filter(({ chainFacts }) => silentVoters.has(chainFacts?.observation.address ?? ''));
  const missing = [...new Set([...nodes.filter(isMissing), ...idle, ...silent])];
  const found = missing.map(({ name }) => name);
  const orphans = findOrphans(view).map(shorten);
  const names = listNames([...found, ...orphans]);
  const back = listNames([...found, ...orphans.map((address) => `${address} (no node has its key)`)]);
  const short = required - voting;
  if (short > 0 && goesOnWithout(missing, view)) return undefined;
  return suspect('quorum_at_risk', {
    about: names,
    // Planned work on these nodes explains the risk, but not too few votes for a block.
    ...(short <= 0 && { nodes: missing.map(({ name }) => name) }),
    lastedMs: missing.length === 0 ? 0 : Math.min(...missing.map((node) => stalledMs(node, view) ?? 0)),
    // With too few votes the subnet halts, which pages after the stall limit.
    confirmMs: short > 0 ? view.stallAfterMs + SEEN_LATER_MS : undefined,
    summary: short > 0 ? 'too few nodes vote for another block' : 'no further node may fail',
    evidence: `${voting} of ${total} masternodes vote and ${formatCount(required, 'is', 'are')} needed, without ${names}`,
    fix: `bring back ${back}${short > 0 ? `: ${short} more must vote; restart no other node` : ' before any other work, and restart no other node'}`,
    // Without votes no block comes, and no log shows one.
    explains: short > 0 ? explainHalt(view) : [],
  });
}

/** How long no block may be committed while blocks come. */
const STALLED_MS = 60_000;

/** The highest committed block is stalled, while the latest rises. */
function findFinality({ nodes, targets, reference, now }: SubnetView): Suspicion | undefined {
  const onChain = nodes.filter(({ isForeign, height }) => !isForeign && isCredible(height?.number ?? 0, reference));
  // Clients that are not known to mean the same by a committed block count only while no block comes to the others.
  const isSettled = ({ target, state }: NodeView) => clientOf({ target, facts: state.facts }).isFinalitySettled;
  const hasSettled = nodes.some((node) => node.rises && node.state.facts.node?.committed && isSettled(node));
  const witnesses = hasSettled ? onChain.filter(isSettled) : onChain;
  const committed = witnesses.flatMap(({ state }) => state.facts.node?.committed ?? []);
  const heights = witnesses.flatMap(({ height }) => height ?? []);
  const since = highest(committed.map(({ advancedAt, fall }) => Math.max(advancedAt, fall?.at ?? 0)));
  const moves = heights.some(({ risen, advancedAt }) => risen && now - advancedAt < STALLED_MS);
  if (committed.length === 0 || !moves || now - since < STALLED_MS) return undefined;
  const top = highest(committed.map(({ number }) => number));
  const latest = highest(heights.map(({ number }) => number));
  return suspect('finality_stalled', {
    summary: 'the subnet commits no blocks',
    evidence: `blocks come, but none after ${top} has been committed for ${formatDuration(now - since)}; ${latest - top} wait`,
    fix: 'three rounds in a row must bring a block each: look for nodes that time out, and for clocks that differ',
    // The relayer submits committed blocks.
    explains: explainEach(targets, 'submissions'),
  });
}

/** Problems of the subnet as a whole, given its problems so far. */
export function findSubnetProblems(view: SubnetView, before: ProblemIndex<Problem>): readonly Suspicion[] {
  const gravest = findUnseen(view, before) ?? findHalt(view, before);
  if (gravest !== undefined) return [gravest];
  const isAfterHalt = before.get({ problem: 'subnet_halted' }) !== undefined;
  // Without a block none is committed, and after a halt three rounds must bring one each first.
  const finality = isAfterHalt ? undefined : findFinality(view);
  return [findRisk(view, isAfterHalt), finality].filter((one) => one !== undefined);
}
