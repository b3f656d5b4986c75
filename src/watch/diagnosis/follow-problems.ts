import { LINE_TOLERANCE_MS } from '../../lib/clock.ts';
import { dropAges } from '../../lib/duration.ts';
import { highest } from '../../lib/numbers.ts';
import { indexSubjects, isAsked, isJudged, isJudgedFor, type SubjectsOf } from '../../model/is-judged.ts';
import { isSpendJudged } from '../../model/parent-chain.ts';
import { findPlanned, type Planned, type PlannedWork } from '../../model/planned-work.ts';
import {
  type EndedProblem,
  type ExplainedCheck,
  findPagedFor,
  indexProblems,
  isAboutAllOf,
  isAboutOthers,
  isMuted,
  isStanding,
  isWarningOf,
  mayCover,
  NOTHING_TO_DO,
  type Problem,
  type ProblemIndex,
  type Suspicion,
  TOLD_AFTER_MS,
} from '../../model/problem.ts';
import { isBlind, type ProblemName, problemCatalog } from '../../model/problem-catalog.ts';
import { isStartedAgain } from '../../model/restart-cause.ts';
import { SEVERITIES } from '../../model/severity.ts';
import { countReserve, isQuorumLost, lacksSpare, type TargetState } from '../../model/snapshot.ts';
import type { Component } from '../../model/target.ts';
import type { CheckState } from '../../model/verdict.ts';
import { isError } from '../rules/find-log-fault.ts';
import { isBack } from './explain-peers.ts';
import { describeVotes } from './find-headline.ts';
import { findIdle, withoutIdle } from './quorum.ts';
import { checkOf, hasLoggedSince, type SubnetView } from './subnet-view.ts';
import { KEY_LOST } from './view-subnet.ts';

/** The work that covers a problem: its subject, or each of the nodes that bring it. What ends first then counts. */
function findCover(inForce: readonly PlannedWork[], problem: Problem): Planned | undefined {
  const { nodes = [] } = problem;
  const covers = nodes.flatMap((name) => findPlanned(inForce, { component: 'node', name }) ?? []);
  const [first] = covers.toSorted((one, other) => one.until - other.until);
  return findPlanned(inForce, problem) ?? (covers.length < nodes.length ? undefined : first);
}

/** The problems with the planned work that is in force in their subnet; `before` are those of the last diagnosis. */
export function markPlanned(
  problems: readonly Problem[],
  before: ProblemIndex<Problem>,
  inForce: readonly PlannedWork[],
): readonly Problem[] {
  const mark = (problem: Problem): Problem => {
    const known = before.get(problem);
    const cover = findCover(inForce, problem);
    const wasOpen = known && isStanding(known) && !isMuted(known);
    // What is not found any more when the work ends is fixed.
    const kept = known && isMuted(known) && problem.state === 'clearing' ? known.planned : undefined;
    return { ...problem, planned: cover ? { ...cover, mutes: !wasOpen } : kept };
  };
  return inForce.length === 0 && !before.values.some(({ planned }) => planned) ? problems : problems.map(mark);
}

/** A suspicion that was not found for longer than this starts again: what happened in between is unknown. */
const UNSEEN_MS = 60_000;

export interface FollowedProblems {
  readonly problems: readonly Problem[];
  readonly ended: readonly EndedProblem[];
}

/** At most this many ended problems are kept for each subnet, the newest ones. */
const MAX_ENDED = 200;

/** Whether an ended problem that comes back now is soon open again. It is for as long as it had to be absent to be over. */
const mayReopen = ({ problem, endedAt }: EndedProblem, now: number): boolean =>
  now - endedAt < problemCatalog[problem].clearMs;

/** When the reason why a check fails was last seen: in its last run, but for `logs` in its newest error. */
function failureSeenAt({ facts }: TargetState, { check, lastRun = Infinity }: CheckState): number {
  const errors = check === 'logs' ? Object.values(facts.logs?.patterns ?? {}).filter(isError) : [];
  return errors.length === 0 ? lastRun : highest(errors.map(({ at }) => at));
}

/** The checks that still fail for a reason that was last seen at `until` or before, or are not judged yet. */
const findUnobserved = (explains: readonly ExplainedCheck[], until: number, subjectsOf: SubjectsOf) =>
  explains.filter((each) =>
    subjectsOf(each).some((state) => {
      const check = checkOf(state, each.check);
      if (check?.verdict !== 'fail') return check?.verdict === 'unknown';
      return failureSeenAt(state, check) <= until;
    }),
  );

/** A problem that is over now. What it explained stays explained until it is observed again. */
function toEnded(one: Problem, subjectsOf: SubjectsOf, endedAt: number): EndedProblem {
  const { problem, component, name, about, summary, since, seenAt, openedAt } = one;
  const more = { explains: findUnobserved(one.explains, seenAt, subjectsOf), isHidden: one.state === 'open' };
  return { problem, component, name, about, summary, since, seenAt, openedAt, endedAt, ...more };
}

/** The ended problems without the checks that have been observed again. */
export function dropObserved(ended: readonly EndedProblem[], targets: readonly TargetState[]): readonly EndedProblem[] {
  const subjectsOf = indexSubjects(targets);
  return ended.map((one) => ({ ...one, explains: findUnobserved(one.explains, one.seenAt, subjectsOf) }));
}

/** How long a problem that is over must be found again before it is open again: a planned restart takes less. */
const REOPEN_MS = 10_000;

const confirmMsOf = ({ problem, confirmMs }: Suspicion): number => confirmMs ?? problemCatalog[problem].confirmMs;

const againMsOf = (found: Suspicion): number => Math.min(confirmMsOf(found), REOPEN_MS);

/** A problem that is found: its state by how long it has been found, now and before it was over. */
function raise(before: Problem | undefined, ended: EndedProblem | undefined, found: Suspicion, now: number): Problem {
  const stands = before && isStanding(before);
  const goesOn = before && isAboutAllOf(found, before) && now - before.seenAt <= UNSEEN_MS;
  const known = stands || goesOn ? before : undefined;
  const isBack = !stands && ended && ended.about === found.about && mayReopen(ended, now);
  // A clock that was set back must not delay a problem.
  const foundAt = Math.min(known?.since ?? now, now);
  const lastedMs = Math.max(now - foundAt, found.lastedMs ?? 0);
  const isOpen = lastedMs >= (isBack ? againMsOf(found) : confirmMsOf(found));
  const begunAt = (isOpen && found.begunAt) || foundAt;
  // What is open at once says when it began, also where what was stored, or is no longer said, began before.
  const since = confirmMsOf(found) === 0 ? begunAt : Math.min(foundAt, begunAt);
  // What is found some time after the cover was gone has begun anew.
  const same = isOpen && isBack && ended.isHidden && foundAt - ended.endedAt <= UNSEEN_MS ? ended : undefined;
  const openedAt = (same ?? known)?.openedAt ?? (isOpen ? now : undefined);
  const { severity, alert } = problemCatalog[found.problem];
  const state = openedAt === undefined ? 'suspected' : 'open';
  return { ...found, severity, alert, state, since: same?.since ?? since, seenAt: now, openedAt };
}

/**
 * Whether a problem was seen to be over for longer than it takes to be confirmed, so that what is found at `at` is another one. An earlier
 * process has seen so if it was clearing for that long before this one began.
 */
function isLongOver(one: Problem, found: Suspicion, at: number): boolean {
  const { state, seenAt, restoredAt = -Infinity, clearingSince = Infinity } = one;
  const overMs = clearingSince > restoredAt ? at - seenAt : (found.begunAt ?? restoredAt) - clearingSince;
  // What is open at once, as a halt, says by itself which one it is.
  const confirmMs = confirmMsOf(found);
  // What began before that was last seen has not begun anew.
  if (state !== 'clearing' || (found.begunAt ?? Infinity) <= seenAt) return false;
  return confirmMs > 0 && overMs > Math.max(confirmMs, REOPEN_MS);
}

/**
 * A problem that is found. What is about others than what is open or clearing, or comes long after that was over, is suspected beside it
 * until it is confirmed by itself.
 */
function raiseByAbout(before: ProblemIndex<Problem>, ended: EndedProblem | undefined, found: Suspicion, now: number) {
  const known = before.get(found);
  const next = before.get({ ...found, isNext: true });
  const isOther = known && isStanding(known) && isAboutOthers(known, found);
  const goesOn = known?.state === 'clearing' && next && !isAboutOthers(found, next);
  const isAnew = known && (goesOn || isLongOver(known, found, now));
  if (!isOther && !isAnew) return raise(known ?? next, ended, found, now);
  const confirmMs = isOther ? found.confirmMs : againMsOf(found);
  const problem = raise(next, ended, { ...found, confirmMs }, now);
  return isStanding(problem) ? problem : { ...problem, isNext: true as const };
}

/** What a wallet spends is known some time after subnetd started. */
const OF_SPEND: readonly ProblemName[] = ['wallet_low', 'wallet_nearly_empty'];

/** Whether it can be said how long each wallet of the relayer lasts. */
const isSpendKnown = ({ subnet: { parentChain }, facts: { parent, relay } }: SubnetView): boolean =>
  (parentChain?.wallet === undefined || isSpendJudged(parent?.wallet)) &&
  (parentChain?.contract === undefined || relay !== undefined) &&
  Object.values(relay?.wallets ?? {}).every(isSpendJudged);

/** Whether the end of a halt, or what a wallet spends, has had time to show since subnetd started. */
function mayClear({ problem, restoredAt, since: begunAt, openedAt: since = begunAt }: Problem, view: SubnetView) {
  if (OF_SPEND.includes(problem)) return isSpendKnown(view);
  if (problem === 'wallet_without_funds' && restoredAt !== undefined)
    return isSpendKnown(view) || (view.relayer.log?.submittedAt ?? 0) > since;
  return problem !== 'subnet_halted' || view.haltedUntil > -Infinity || view.nodes.some(({ rises }) => rises);
}

/** The chain is asked about its masternodes and marks once a minute. */
const ALL_READ_MS = 60_000;

/** Problems that do not show in the first reading of a target: of votes, of late blocks, or of what its container was set to. */
const SHOWN_LATE: readonly ProblemName[] = [
  'node_not_voting',
  'masternode_penalised',
  'parent_behind',
  'checkpoint_behind',
  'checkpoint_refused',
  'node_lags',
];

/** Whether a problem of an earlier process of subnetd may still be found: one that shows only once each source was read. */
function isAwaited({ restoredAt = -Infinity, problem, name }: Problem, view: SubnetView) {
  const { before, nodes, now } = view;
  // Whose votes are missing in pools, and why, shows later.
  const isOfPools = ({ problem, component, restoredAt }: Problem) =>
    restoredAt !== undefined && (KEY_LOST.includes(problem) || (component === 'node' && SHOWN_LATE.includes(problem)));
  if (problem === 'quorum_at_risk' && !before.values.some(isOfPools) && nodes.every(({ state }) => isAsked(state)))
    return false;
  const { at: parentAt = 0, headAgeMs = Infinity } = view.facts.parent ?? {};
  const isShownLate = (name === undefined && !isBlind(problem)) || SHOWN_LATE.includes(problem);
  // Of one that lags each log must have shown a number of blocks first.
  const readMs = problem === 'node_lags' ? 4 * ALL_READ_MS : ALL_READ_MS;
  return (
    isShownLate && now - restoredAt < readMs && !(problem === 'parent_behind' && parentAt - headAgeMs > restoredAt)
  );
}

/** A problem that is not found: nobody renews how long ago the moments of its evidence were. */
const withoutAges = (problem: Problem): Problem => ({ ...problem, evidence: dropAges(problem.evidence) });

/** Whether the targets of a problem show that it is over. What happened to several at once is not seen of some of them. */
function isKnownOver({ problem, nodes, seenAt }: Problem, subjects: readonly TargetState[]): boolean {
  if (problem === 'containers_crashed' && nodes !== undefined)
    return subjects.every((one) => !nodes.includes(one.target.name) || isJudgedFor(one, problem));
  // What somebody has started again since is judged by what it does now.
  const isAnew = ({ facts }: TargetState) => isStartedAgain(facts.container, seenAt - LINE_TOLERANCE_MS);
  return isJudged(subjects, problem) || subjects.every(isAnew);
}

/**
 * Whether a check of a node fails otherwise than by the problem that explained it. No port closes as no block comes; its log has told of a
 * block since; somebody has started its container again; and it lacks peers as it is silent or back itself, or back from its own problem.
 */
function failsApart(
  { problem, name, seenAt }: Problem,
  each: ExplainedCheck,
  state: TargetState,
  now: number,
): boolean {
  const answered = state.facts.node?.observation.answered;
  if (each.check === 'latest_block') return answered === false && ['subnet_halted', 'quorum_at_risk'].includes(problem);
  if (each.check === 'log_block') return hasLoggedSince(state, seenAt);
  if (each.check === 'container') return isStartedAgain(state.facts.container, seenAt);
  if (each.check !== 'peers' || answered === undefined) return false;
  return each.name === name ? answered : !answered || isBack(state, now);
}

/** What nodes say of their chain. While none answers it is not over. */
const OF_ANSWERS: readonly ProblemName[] = ['chain_replaced', 'contract_of_other_chain', 'chain_forked', 'key_shared'];

/** What still has something to do while there is no spare vote. */
const OF_VOTES: readonly ProblemName[] = ['quorum_at_risk', 'subnet_halted', 'containers_crashed'];

const TOO_FEW = 'too few can vote until more of those that have just started do';

/** What to do while nothing is lacking but what has just started. */
const SPARE_FIRST = 'restart no other node until there is a spare vote again';

/** A problem that is not found any more; undefined when it is over. `fixOfRisk`: what to do about a risk that is found, be it only suspected. */
function clear(
  before: Problem,
  subjectsOf: SubjectsOf,
  view: SubnetView,
  fixOfRisk = SPARE_FIRST,
): Problem | undefined {
  const { now, quorum } = view;
  const tight = lacksSpare(quorum) ? quorum : undefined;
  const atRisk = before.problem === 'quorum_at_risk' ? tight : undefined;
  // Whoever has just started does not vote yet, and may never. Whose votes were missing, and why, may be over.
  if (!isStanding(before)) {
    if (!atRisk || before.isNext) return undefined;
    // No risk is found once no block comes, and the halt is found later.
    if (isQuorumLost(atRisk)) return withoutAges(before);
    const summary = countReserve(atRisk) < 0 ? TOO_FEW : 'there is no spare vote';
    return { ...before, summary, evidence: describeVotes(atRisk), fix: SPARE_FIRST, explains: [] };
  }
  const subjects = subjectsOf(before);
  if (subjects.length === 0) return undefined;
  const silent = subjectsOf({}).filter(({ facts: { node } }) => node?.observation.answered === false);
  // That the network was replaced is found while more than two thirds answer.
  const share = before.problem === 'chain_replaced' ? 3 : 1;
  const isUnseen = OF_ANSWERS.includes(before.problem) && silent.length * share >= subjectsOf({}).length;
  if (isUnseen || !isKnownOver(before, subjects) || !mayClear(before, view) || isAwaited(before, view))
    return withoutAges(before);
  const clearingSince = Math.min(before.clearingSince ?? now, now);
  // Nobody is told of a spare vote while there is none.
  if (!atRisk && now - clearingSince >= problemCatalog[before.problem].clearMs) return undefined;
  // A check that has recovered since is not explained when it fails again. After a restart of subnetd, it may not be judged yet.
  const isLeft = (each: ExplainedCheck) => (state: TargetState) => {
    const { verdict } = checkOf(state, each.check) ?? {};
    return (verdict === 'fail' || verdict === 'unknown') && !failsApart(before, each, state, now);
  };
  const explains = before.explains.filter((each) => subjectsOf(each).some(isLeft(each)));
  const fix = tight && OF_VOTES.includes(before.problem) ? `${describeVotes(tight)}; ${fixOfRisk}` : NOTHING_TO_DO;
  return { ...withoutAges(before), explains, fix, state: 'clearing', clearingSince };
}

const byUrgency = (one: Problem, other: Problem): number =>
  SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) || one.since - other.since;

/** How long a confirmed warning waits at most for a suspicion that would page in its place. */
const MOST_WAIT_MS = 60_000;

/** A warning that would open now waits while something is suspected that pages for it, so that there is one message for one cause. */
function holdBack(one: Problem, before: ProblemIndex<Problem>, waiting: ReadonlySet<Component>, now: number): Problem {
  const known = before.get(one);
  // What opens may have been suspected beside what is clearing.
  const next = one.openedAt === now ? before.get({ ...one, isNext: true }) : undefined;
  // One that is back has the time of its first begin.
  const since = Math.min((next ?? known)?.since ?? now, now);
  const opens = one.state === 'open' && (next !== undefined || known === undefined || !isStanding(known));
  if (!opens || !isWarningOf(one, waiting) || now - since >= confirmMsOf(one) + MOST_WAIT_MS) return one;
  return { ...one, since, state: 'suspected', openedAt: undefined, ...(next && known && { isNext: true }) };
}

/**
 * Whether a problem that is clearing pages for another one that has opened since, or that lasts when this has been clearing for a while.
 * Nobody would be told of that while what pages for it is not over.
 */
function hidesOtherCause(one: Problem, problems: readonly Problem[], now: number): boolean {
  const { clearingSince = Number.POSITIVE_INFINITY, openedAt: toldFrom = 0, restoredAt } = one;
  const pagedFor = findPagedFor([one]);
  const isPagedBy = (other: Problem) =>
    isWarningOf(other, pagedFor) ||
    (isBlind(one.problem) && other.severity !== 'info') ||
    (one.problem === 'subnet_halted' && other.problem === 'quorum_at_risk');
  // What was stored may have been told by another process.
  const isUntold = restoredAt === undefined && clearingSince - toldFrom < TOLD_AFTER_MS;
  const isLeft = ({ openedAt = 0 }: Problem) => openedAt >= clearingSince || isUntold || !mayCover(one, now);
  return problems.some((other) => other.state === 'open' && isLeft(other) && isPagedBy(other));
}

/** The problems of a subnet with those that an earlier process of subnetd has stored as open, which go on in the next diagnosis. */
export const restoreProblems = (problems: readonly Problem[], stored: readonly Problem[]): readonly Problem[] =>
  indexProblems([...problems, ...stored]).values.toSorted(byUrgency);

/** The problems of a subnet after `found` at `now`, the worst first. What cannot be judged now stays as it is. */
export function followProblems(
  view: SubnetView,
  endedBefore: readonly EndedProblem[],
  found: ProblemIndex<Suspicion>,
): FollowedProblems {
  const { before, now } = view;
  // What a stored halt covered is stored as open, and found again if it is still so.
  const stored = before.values.filter(({ restoredAt }) => restoredAt !== undefined);
  const covered = indexProblems([...found.values, ...stored].flatMap(({ causes }) => causes));
  const ended = indexProblems(
    endedBefore.map((one) => (one.isHidden && covered.get(one) ? { ...one, endedAt: now } : one)),
  );
  const raised = found.values.map((one) => raiseByAbout(before, ended.get(one), one, now));
  const waiting = findPagedFor(raised.filter((one) => !isStanding(one)));
  const problems = raised.map((one) => holdBack(one, before, waiting, now));
  const opened = indexProblems(problems.filter(isStanding));
  const surelyCovered = indexProblems([...opened.values, ...stored].flatMap(({ causes }) => causes));
  const subjectsOf = indexSubjects(view.targets.map(({ state }) => state));
  const shown = { ...view, quorum: view.quorum && withoutIdle(view.quorum, findIdle(view, before.values)) };
  const end = (one: Problem) => {
    if (isStanding(one) && subjectsOf(one).length > 0) ended.set(toEnded(one, subjectsOf, now));
  };
  const there = indexProblems(problems);
  // Whoever restarts on purpose is back by then.
  const isLasting = ({ since, begunAt = since }: Problem) => now - Math.min(since, begunAt) >= REOPEN_MS;
  const fixOfRisk = problems.find((one) => one.problem === 'quorum_at_risk' && isLasting(one))?.fix;
  for (const one of before.values.filter((each) => !there.get(each))) {
    // What covers it shows nothing of what is not known yet, and may be over before that is.
    const isLeft = !covered.get(one) || (OF_SPEND.includes(one.problem) && !isSpendKnown(view));
    // What is only suspected ends nothing that was stored, nor what is open and critical.
    const lasts = one.restoredAt !== undefined || (one.state === 'open' && one.severity === 'critical');
    const isKept = lasts && !isLeft && !surelyCovered.get(one);
    const cleared = isLeft ? clear(one, subjectsOf, shown, fixOfRisk) : undefined;
    const left = isKept ? withoutAges(one) : cleared;
    if (left) problems.push(left);
    else end(one);
  }
  const kept = problems.filter((one) => !hidesOtherCause(one, problems, now));
  // A warning that is not found any more ends with what paged for it. Otherwise its own alert would start then.
  const pagedFor = (ones: readonly Problem[]) => findPagedFor(ones.filter(isStanding));
  const noLongerPaged = pagedFor(before.values).difference(pagedFor(kept));
  const left = new Set(kept.filter((one) => one.state !== 'clearing' || !isWarningOf(one, noLongerPaged)));
  for (const one of problems) if (!left.has(one)) end(one);
  // They may come back, or explain something.
  const matters = (one: EndedProblem) => !opened.get(one) && (mayReopen(one, now) || one.explains.length > 0);
  return { problems: [...left].sort(byUrgency), ended: ended.values.filter(matters).slice(-MAX_ENDED) };
}
