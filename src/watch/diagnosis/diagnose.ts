import type { ClockDisturbances } from '../../lib/clock.ts';
import { renewAges } from '../../lib/duration.ts';
import { highest } from '../../lib/numbers.ts';
import { listNames } from '../../lib/words.ts';
import {
  type EndedProblem,
  type ExplainedCheck,
  indexProblems,
  isStanding,
  type Problem,
  type Suspicion,
} from '../../model/problem.ts';
import { FORECASTS, isBlind, type ProblemKind, type ProblemName, problemCatalog } from '../../model/problem-catalog.ts';
import { formatReason } from '../../model/verdict.ts';
import { joinFixes } from '../clients/commands-to-type.ts';
import { JUST_STARTED } from '../rules/view.ts';
import { findChainProblems, findForeign } from './find-chain-problems.ts';
import { findCheckProblems, findStatsProblems, refOf } from './find-check-problems.ts';
import { findContainerProblems, findLogProblems } from './find-container-problems.ts';
import { findDiskProblems } from './find-disk-problems.ts';
import { explainHalt } from './find-halt.ts';
import { findKnownFailures } from './find-known-failures.ts';
import { findLagging } from './find-lagging.ts';
import { findClockProblems, findMonitorProblem } from './find-monitor-problems.ts';
import { explainOtherTargets, findNodeProblems } from './find-node-problems.ts';
import { findPacketProblem } from './find-packet-problem.ts';
import { failsOtherwise, findParentProblems, withContract } from './find-parent-problems.ts';
import { findSetupProblems } from './find-setup-problems.ts';
import { findSubnetProblems } from './find-subnet-problems.ts';
import { SILENCE } from './find-unseen.ts';
import { findWalletProblem } from './find-wallet-problem.ts';
import { joinCrashes } from './join-crashes.ts';
import { findUnusedBootnode } from './setup/find-node-differences.ts';
import { afterDocker, askedAt, type NodeView, type SubnetView } from './subnet-view.ts';
import { findRecovering, STOPPING } from './view-subnet.ts';

export const keyOf = ({ component, name, check }: ExplainedCheck): string => `${component} ${name} ${check}`;

/** What is seen of a node that is just back. */
const RECOVERY: readonly ProblemName[] = [
  'node_stalled',
  'node_behind',
  'node_partitioned',
  'peers_missing',
  'node_log_fault',
];

/** What an old probe says of a node that something else kept from answering, or subnetd from asking, and which `isOver`. Its next probe decides. */
function createIsStale({ before, targetOf, now }: SubnetView, isOver: (one: Problem) => boolean) {
  const kept = before.values.filter((one) => (isBlind(one.problem) || STOPPING.includes(one.problem)) && isOver(one));
  return (suspicion: Suspicion): boolean => {
    const known = before.get(suspicion);
    // An old answer does not end what was confirmed.
    if (!SILENCE.includes(suspicion.problem) || (known !== undefined && isStanding(known))) return false;
    const node = targetOf(suspicion);
    const probedAt = node === undefined ? 0 : askedAt(node.state);
    return kept.some(
      ({ name, clearingSince = now }) => (name === undefined || name === suspicion.name) && clearingSince >= probedAt,
    );
  };
}

/** What the check of submissions says by itself. */
const SAID_BY_SUBMISSIONS: readonly ProblemName[] = ['relayer_dead', 'relayer_redis_dead', 'relayer_idle'];

/** A relayer that submits nothing pages with the summary and the fix of another problem that it has, if there is one. */
function withCause(one: Suspicion, causes: readonly Suspicion[]): Suspicion {
  if (one.problem !== 'relayer_stopped') return one;
  // What will fail some day is not why this fails now.
  const isCause = ({ problem, component, name }: Suspicion) =>
    component === one.component && name === one.name && !FORECASTS.includes(problem);
  const cause = causes.find(isCause);
  if (cause === undefined) return one;
  const { problem, summary, fix } = cause;
  const why = SAID_BY_SUBMISSIONS.includes(problem) ? '' : summary;
  return { ...one, evidence: formatReason({ seen: one.evidence, cause: why }), fix };
}

/** A quorum at risk or a halt pages with what keeps nodes from voting, which is not sent beside it, and with how to bring each of them back. */
function withReasons(page: Suspicion, view: SubnetView, found: readonly Suspicion[]): Suspicion {
  // One that takes blocks votes again, however it has ended before.
  const isHalt = page.problem === 'subnet_halted';
  const isAway = ({ isOut, isStarting, takesBlocks }: NodeView) => isOut || (isStarting && (isHalt || !takesBlocks));
  const mayNotVote = view.voters.filter(isAway);
  // All checks of a node that runs and does not vote may pass.
  const isWhy = ({ problem, component, explains, isPast }: Suspicion) =>
    problem === 'node_not_voting' || (component === 'node' && explains.length > 0 && !isPast);
  const names = page.nodes ?? mayNotVote.map(({ name }) => name);
  const isUp = (node: string) =>
    view.nodes.some(({ name, container }) => name === node && container.kind === 'running');
  // What has ended several containers at once has the name of none, and keeps nobody away who runs again.
  const hasEnded = ({ problem, explains }: Suspicion, node: string) =>
    problem === 'containers_crashed' &&
    !isUp(node) &&
    explains.some((one) => one.component === 'node' && one.name === node);
  const whyOf = (node: string) => found.find((one) => (one.name === node ? isWhy(one) : hasEnded(one, node)));
  const all = [...new Set(names.flatMap((node) => whyOf(node) ?? []))];
  // What has no check of its own: only its own words say what to do.
  const failures = all.filter(({ problem }) => problemCatalog[problem].judgedBy.length === 0);
  // A halt has said who is down, but not why, nor who has crashed of those that have just started.
  const isNews = (one: Suspicion) => failures.includes(one) || one.problem === 'container_restarting';
  const reasons = isHalt ? all.filter(isNews) : all;
  const keys = found.filter(({ problem }) => problem === 'masternode_missing');
  const ways = joinFixes(page.fix.includes('bring back ') ? [...all, ...keys] : failures);
  return {
    ...page,
    evidence: formatReason({ seen: page.evidence, cause: listNames(reasons.map(({ summary }) => summary)) }),
    fix: [page.fix, ...ways].join('; '),
  };
}

/** The failing checks that these problems explain, without those that judge each problem of their own target. */
function findExplained(view: SubnetView, problems: readonly (Problem | EndedProblem)[]): readonly ExplainedCheck[] {
  if (problems.every(({ explains }) => explains.length === 0)) return [];
  const failing = new Map(view.targets.flatMap((target) => target.failing.map((each) => [keyOf(each), each] as const)));
  return problems.flatMap(({ problem, component, name, explains }) => {
    const { judgedBy }: ProblemKind = problemCatalog[problem];
    const isOwn = (each: ExplainedCheck) =>
      component === each.component && name === each.name && judgedBy.includes(each.check);
    return explains.flatMap((each) => (isOwn(each) ? [] : (failing.get(keyOf(each)) ?? [])));
  });
}

/**
 * The causes that explain what is wrong in a subnet now. Each failing check belongs to the first problem that
 * explains it: known failures come before containers, nodes and the subnet, and what a check says by itself comes last.
 * While a problem so far is clearing, the checks that it explained are no problems of their own, and neither are those that an ended one
 * still explains.
 */
export function diagnose(view: SubnetView, clock: ClockDisturbances = {}, ended: readonly EndedProblem[] = []) {
  const { before } = view;
  const failures = findKnownFailures(view);
  /** A known failure that ends its program causes the problems of its container, and one that stops it those of the node. */
  const bringsOthers = ({ causes }: Suspicion) => causes.length > 0;
  const crashes = [...failures.filter(bringsOthers), ...findContainerProblems(view)];
  const ofTargets = explainOtherTargets([...crashes, ...findForeign(view), ...findNodeProblems(view)], view);
  const all = [
    ...failures.filter((one) => !bringsOthers(one)),
    ...joinCrashes(ofTargets, view),
    ...findChainProblems(view),
    ...findClockProblems(view),
    ...findSubnetProblems(view),
    ...findParentProblems(view),
    findWalletProblem(view),
    findPacketProblem(view),
    ...findStatsProblems(view),
    ...findLogProblems(view),
    ...findUnusedBootnode(view),
    ...findSetupProblems(view),
    ...findDiskProblems(view),
    ...findLagging(view),
    findMonitorProblem(clock, view),
  ].filter((one) => one !== undefined);
  const caused = indexProblems(all.flatMap(({ causes }) => causes));
  const candidates = all.filter((one) => caused.get(one) === undefined);
  const there = indexProblems(candidates);
  const isOver = (one: Problem) => there.get(one) === undefined;
  const recovering = new Set(findRecovering(before, view.now).flatMap((one) => (isOver(one) ? [one.name] : [])));
  /** Whether it is seen of a node only because it recovers, as all do after a halt, which has no name. */
  const isRecovering = ({ problem, name }: Suspicion) =>
    RECOVERY.includes(problem) && (recovering.has(name) || recovering.has(undefined));
  const isStale = createIsStale(view, isOver);
  // Whether what somebody has just started again fails once more is not known yet.
  const stale = new Set(candidates.filter((one) => one.fix === JUST_STARTED || isStale(one)));
  const causes = candidates.filter((one) => !isRecovering(one) && !stale.has(one));
  const explained = new Set([...stale].flatMap(({ explains }) => explains));
  const explainAlso = (checks: Iterable<ExplainedCheck>) => {
    for (const each of checks) explained.add(each);
  };
  const told = indexProblems([...ended, ...before.values]);
  /** Takes the checks that no problem before explains. What each of them was until now by itself goes on as part of it. */
  const take = (one: Suspicion): Suspicion => {
    const explains = [...new Set(one.explains).difference(explained)];
    explainAlso(explains);
    const covered = explains.flatMap(refOf).filter((each) => each.problem !== one.problem && told.get(each));
    return { ...one, fix: afterDocker(one, view), explains, causes: [...one.causes, ...covered] };
  };
  const found = indexProblems(causes.map(take));
  const over = before.values.filter((one) => isStanding(one) && found.get(one) === undefined);
  const replaced = over.filter((one) => failsOtherwise(one, view));
  const failsSince = highest(replaced.map(({ seenAt }) => seenAt));
  const byChecks = findCheckProblems(view, explained);
  // What a check is about to show again keeps what it explains.
  const shown = indexProblems(byChecks);
  const notFoundAgain = over.filter((one) => !replaced.includes(one) && shown.get(one) === undefined);
  explainAlso(findExplained(view, [...ended, ...notFoundAgain]));
  // After a restart, subnetd needs as long to find a halt again as it did at first.
  if (over.some(({ problem, state }) => problem === 'subnet_halted' && state === 'open'))
    explainAlso(explainHalt(view));
  for (const one of byChecks) {
    const own = withContract(withCause(one, causes), view, failsSince);
    if (own === undefined) continue;
    const taken = take(own);
    if ((one.explains.length > 0 && taken.explains.length === 0) || isRecovering(taken)) continue;
    const known = found.get(taken);
    found.set(known ? { ...known, explains: [...known.explains, ...taken.explains] } : taken);
  }
  const page = found.get({ problem: 'subnet_halted' }) ?? found.get({ problem: 'quorum_at_risk' });
  if (page !== undefined) found.set(withReasons(page, view, found.values));
  // While nothing could be reached, silence was not evidence: each problem is confirmed by what is found from now on.
  const wasBlind = before.values.some(({ problem }) => isBlind(problem));
  // What a check has seen was said when that was judged.
  for (const one of found.values)
    found.set({ ...one, evidence: renewAges(one.evidence, view), ...(wasBlind && { lastedMs: 0 }) });
  return found;
}
