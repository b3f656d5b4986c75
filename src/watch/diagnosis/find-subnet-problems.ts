import { formatDuration } from '../../lib/duration.ts';
import { highest } from '../../lib/numbers.ts';
import { formatCount, joinAnd, listEach, listNames, shorten } from '../../lib/words.ts';
import { isCredible } from '../../model/chain.ts';
import { clientOf } from '../clients/clients.ts';
import { findWrong } from './find-double-votes.ts';
import { describeReturn } from './find-epoch.ts';
import { explainHalt, findHalt } from './find-halt.ts';
import { findNextSetProblem } from './find-next-set.ts';
import { findUnseen } from './find-unseen.ts';
import { describeOrphans, describeUntold, findIdle, findStrangers, requiredVotes, withoutIdle } from './quorum.ts';
import { ASKED_WITHIN_MS, checkOf, isMissing, type NodeView, type SubnetView, stalledMs } from './subnet-view.ts';
import { type Found, refsTo, suspect } from './suspect.ts';

/** All vote, but there is no spare vote, since the chain has left out those that it has penalised. */
function findShrunk(view: SubnetView, total: number): Found {
  const { chain, masters } = view;
  const penalised = chain.masternodes?.penalised ?? [];
  const all = total + penalised.length;
  const [first] = penalised;
  // A chain that never had a spare vote has lost none.
  if (first === undefined || requiredVotes(all, chain.consensus?.certificateThreshold) === all) return undefined;
  const names = listEach(penalised, (address) => masters.get(address)?.name ?? shorten(address));
  const are = penalised.length === 1 ? 'is' : 'are';
  return suspect('quorum_at_risk', {
    about: names,
    nodes: penalised.map((address) => masters.get(address)?.name ?? shorten(address)),
    summary: `no node may fail, because ${names} ${are} penalised`,
    evidence: `${all} masternodes were chosen, ${names} ${are} penalised, and each of the other ${total} must vote`,
    fix: `restart no other node until ${names} ${penalised.length === 1 ? 'takes' : 'take'} part again; ${describeReturn(view, first, masters.get(first)?.isOut)}`,
  });
}

/** Whether blocks came after the last of these nodes had failed. Then their votes are not missing, whatever keeps them from answering. */
function goesOnWithout(missing: readonly NodeView[], now: number, lastRise: number): boolean {
  const failedAt = missing.map(({ answers, state }) =>
    answers === false ? (state.facts.node?.latest?.lastGoodAt ?? checkOf(state, 'latest_block')?.since ?? now) : now,
  );
  return missing.length > 0 && lastRise - highest(failedAt) >= ASKED_WITHIN_MS;
}

/** The subnet goes on, but halts when one more node fails. */
function findRisk(view: SubnetView, isAfterHalt: boolean): Found {
  const { state, confirmMs, since = view.now } = view.before.get({ problem: 'quorum_at_risk' }) ?? {};
  // What is suspected goes on until a halt is found: a first answer shows no rise, nor does one that comes late.
  if (view.quorum === undefined || !(state === 'suspected' || view.nodes.some(({ rises }) => rises))) return undefined;
  // One that is just back takes the blocks that it has missed, and needs nobody to bring it back.
  const idle = isAfterHalt ? [] : findIdle(view).filter(({ name }) => !view.joining.has(name));
  const { total, required, voting, starting = 0 } = withoutIdle(view.quorum, idle);
  if (voting > required) return undefined;
  if (voting === total) return findShrunk(view, total);
  const silent = view.voters.filter(({ address = '' }) => view.silentVoters.has(address));
  const missing = [...new Set([...view.voters.filter(isMissing), ...idle, ...silent])];
  const found = missing.map(({ name }) => name);
  const names = listNames([...found, ...view.orphans.map(shorten)]);
  const back = listNames([...found, ...describeOrphans(view)]);
  // A node that runs with the key of another one has left its own to nobody.
  const twins = view.orphans.length === 0 ? [] : [...view.sharedKeys.values()];
  const stop = twins.map((ones) => {
    const wrong = findWrong(ones, view)?.name;
    const both = joinAnd(ones.map(({ name }) => name));
    return `stop ${wrong ?? `one of ${both}`} at once, as ${wrong === undefined ? 'they' : both} run with one key; `;
  });
  const wrongKeys = view.orphans.length === 0 ? [] : [...twins.flat(), ...findStrangers(view)];
  const short = required - voting;
  const lastRise = highest(
    view.nodes.map(({ rises, height, state }) => (rises && (height ?? state.facts.logs?.node)?.advancedAt) || 0),
  );
  if (names === '' || (short > 0 && goesOnWithout(missing, view.now, lastRise))) return undefined;
  const endedAt = missing.flatMap(({ container: one }) => (one.kind === 'stopped' && one.container.finishedAt) || []);
  // A halt that is found by then is told within a minute of the stop that began it, and needs no message of its risk before.
  const isSooner = state === 'suspected' && lastRise + view.stallAfterMs - Math.min(since, ...endedAt) >= 40_000;
  const isShortNow = voting - starting < required;
  return suspect('quorum_at_risk', {
    about: names,
    // As Docker says it, where each of them has ended.
    begunAt: endedAt.length === found.length + view.orphans.length ? highest(endedAt) : undefined,
    // Planned work on these nodes explains the risk, but not too few votes for a block.
    ...(short <= 0 && { nodes: [...found, ...wrongKeys.map(({ name }) => name)] }),
    lastedMs: missing.length === 0 ? 0 : Math.min(...missing.map((node) => stalledMs(node, view) ?? 0)),
    // With too few votes the subnet halts, which pages after the stall limit. A risk before that opens by its own time, if that is long before.
    confirmMs: short > 0 && !(isSooner && confirmMs === undefined) ? view.stallAfterMs + ASKED_WITHIN_MS : undefined,
    summary: isShortNow ? 'too few nodes vote for another block' : 'no further node may fail',
    evidence: `${voting - starting} of ${total} masternodes vote${starting === 0 ? '' : `, ${formatCount(starting, 'has', 'have')} just started,`} and ${formatCount(required, 'is', 'are')} needed, without ${back}`,
    fix: `${stop.join('')}bring back ${back}${short > 0 ? `: ${short} more must vote${describeUntold(view, missing)}; restart no other node` : isShortNow ? ', and wait for those that have just started; restart no other node' : ' before any other work, and restart no other node'}`,
    // Without votes no block comes, and no log shows one.
    explains: short > 0 ? explainHalt(view) : [],
    causes: short > 0 ? refsTo({}, 'finality_stalled') : [],
  });
}

/** How long no block may be committed while blocks come. */
export const STALLED_MS = 60_000;

/** The highest committed block is stalled, while the latest rises. */
function findFinality(view: SubnetView): Found {
  const { nodes, reference, now } = view;
  if (!nodes.some(({ rises }) => rises)) return undefined;
  const onChain = nodes.filter(({ isForeign, height }) => !isForeign && isCredible(height?.number ?? 0, reference));
  // Clients that are not known to mean the same by a committed block count only while no block comes to the others.
  const isFinalitySettled = ({ target, state }: NodeView) => clientOf({ target, facts: state.facts }).isFinalitySettled;
  const isShown = nodes.some((node) => node.rises && node.state.facts.node?.committed && isFinalitySettled(node));
  const witnesses = isShown ? onChain.filter(isFinalitySettled) : onChain;
  const committed = witnesses.flatMap(({ state }) => state.facts.node?.committed ?? []);
  const heights = witnesses.flatMap(({ height }) => height ?? []);
  const since = highest(committed.map(({ advancedAt, fall }) => Math.max(advancedAt, fall?.at ?? 0)));
  const moves = heights.some(({ risen, advancedAt }) => risen && now - advancedAt < STALLED_MS);
  if (committed.length === 0 || !moves || now - since < STALLED_MS) return undefined;
  const top = highest(committed.map(({ number }) => number));
  return suspect('finality_stalled', {
    summary: 'the subnet commits no blocks',
    evidence: `blocks come, but none after ${top} has been committed for ${formatDuration(now - since)}; ${highest(heights.map(({ number }) => number)) - top} wait`,
    fix: 'three rounds in a row must bring a block each: look for nodes that time out, and for clocks that differ',
    // The relayer submits committed blocks.
    explains: view.relayer.explained.bySubnet,
  });
}

export function findSubnetProblems(view: SubnetView): readonly Found[] {
  const gravest = findUnseen(view) ?? findHalt(view);
  if (gravest !== undefined) return [gravest];
  const isAfterHalt = view.before.get({ problem: 'subnet_halted' }) !== undefined;
  // Without a block none is committed, and after a halt three rounds must bring one each first.
  return [findRisk(view, isAfterHalt), isAfterHalt ? undefined : findFinality(view), findNextSetProblem(view)];
}
