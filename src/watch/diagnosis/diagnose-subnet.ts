import type { ClockDisturbances } from '../../lib/clock.ts';
import { nameSome, sayTogether } from '../../lib/words.ts';
import { isAsked } from '../../model/is-judged.ts';
import type { PlannedWork } from '../../model/planned-work.ts';
import { type EndedProblem, indexProblems, type Problem } from '../../model/problem.ts';
import { isBlind, type ProblemKind, problemCatalog } from '../../model/problem-catalog.ts';
import { findContainer, hasJustBegun, START_MS } from '../../model/restart-cause.ts';
import {
  countReserve,
  type ExplainedCheckState,
  isQuorumLost,
  type SubnetState,
  type TargetState,
} from '../../model/snapshot.ts';
import { type Subnet, subjectKey } from '../../model/target.ts';
import type { CheckName } from '../../model/verdict.ts';
import { JUST_STARTED } from '../rules/view.ts';
import { diagnose, keyOf } from './diagnose.ts';
import { describeOthers, explainPeers, findComing } from './explain-peers.ts';
import { findEpoch, findMembers } from './find-epoch.ts';
import { findHeadline } from './find-headline.ts';
import { findQuietMs } from './find-last-block.ts';
import { dropObserved, type FollowedProblems, followProblems, markPlanned } from './follow-problems.ts';
import { findIdle, withDoubtful, withoutIdle } from './quorum.ts';
import { checkOf, countMissing, hasLoggedSince, isFromBefore, type NodeView, type SubnetView } from './subnet-view.ts';
import { viewContainer } from './view-node.ts';
import { RECOVERED_FROM, viewSubnet } from './view-subnet.ts';

/** What is known of a subnet as a whole beside its problems. */
type Described = Pick<SubnetState, 'quorum' | 'headline' | 'epoch' | 'reference' | 'stallAfterMs' | 'quietMs'> &
  Required<Pick<SubnetState, 'members'>>;

export type Diagnosis = FollowedProblems & Described;

/** Nothing is known before the first diagnosis. */
export const NO_PROBLEMS: FollowedProblems = { problems: [], ended: [] };

export const NO_DIAGNOSIS: Diagnosis = { ...NO_PROBLEMS, members: [] };

export function describeSubnet(
  view: SubnetView,
  targets: readonly TargetState[],
  problems: readonly Problem[],
  plannedWork: readonly PlannedWork[] = [],
): Described {
  const { subnet, reference, stallAfterMs } = view;
  // Nodes that cannot be seen from here may well vote, and so may those that the inventory does not name. One that has just started
  // is seen to, if not by its answer.
  const seesNothing =
    problems.some(({ problem, state }) => isBlind(problem) && state !== 'clearing') ||
    (view.nodes.every(({ answers, rises, isStarting }) => answers === false && !rises && !isStarting) &&
      !isQuorumLost(view.quorum));
  const halt = problems.find(({ problem }) => problem === 'subnet_halted');
  const idle = findIdle(view, problems);
  const together = halt?.state === 'open' ? halt.together : undefined;
  const isCounted = !seesNothing && view.nodes.every(({ state }) => isAsked(state));
  const counted = isCounted ? view.quorum && withoutIdle(view.quorum, idle) : undefined;
  const quietMs = findQuietMs(view);
  const spare = counted ? countReserve(counted) : 0;
  const members = findMembers(view, idle, counted, seesNothing);
  // In a halt nobody's turn brings a block.
  const epoch = findEpoch(view, members, seesNothing, spare > 0 && !halt && quietMs === 0);
  const doubtful = epoch?.masternodes.filter(({ isDoubtful }) => isDoubtful) ?? [];
  const quorum = counted && { ...withDoubtful(counted, doubtful.length), together };
  // The first height that a node prints after its start is its last one.
  const hasPrinted = ({ isLogAlive, isStarting, state: { facts } }: NodeView) => {
    const { height = 0, heightBefore = height } = facts.logs?.node ?? {};
    return isLogAlive && (!isStarting || height > heightBefore);
  };
  // Right after the start of subnetd the time of a block shows that it is new. A node that is just back has shown one before.
  const hasNewBlock = (node: NodeView) =>
    node.rises ||
    hasPrinted(node) ||
    node.state.facts.node?.latest?.risen === true ||
    Math.abs(view.toWall(view.now) - (node.height?.timestamp ?? 0) * 1_000) < stallAfterMs / 2;
  // A log may have shown it, by which a halt has ended since.
  const hasEnded = halt?.clearingSince !== undefined && halt.clearingSince > (halt.restoredAt ?? 0);
  const hasRisen = view.nodes.length === 0 || hasEnded || view.nodes.some(hasNewBlock);
  const headline = findHeadline(subnet.name, targets, problems, { quorum, hasRisen, quietMs, plannedWork, members });
  return { quorum, headline, members, epoch, reference, stallAfterMs, quietMs };
}

/** What a diagnosis knows beside the targets. The planned work is what is in force. */
type Circumstances = Partial<Pick<SubnetView, 'facts' | 'toWall'>> &
  Pick<SubnetState, 'plannedWork'> & { readonly clock?: ClockDisturbances };

export function diagnoseSubnet(
  subnet: Subnet,
  targets: readonly TargetState[],
  before: FollowedProblems,
  now: number,
  { clock = {}, facts = {}, plannedWork = [], toWall }: Circumstances = {},
): Diagnosis {
  const known = indexProblems(before.problems);
  const view = viewSubnet(subnet, targets, now, facts, known, toWall);
  const ended = dropObserved(before.ended, targets);
  const followed = followProblems(view, ended, diagnose(view, clock, ended));
  const problems = markPlanned(followed.problems, known, plannedWork);
  return { ...followed, problems, ...describeSubnet(view, targets, problems, plannedWork) };
}

/** A failing check with the problem that explains it: with the fix of what it judges, its own where no node was reached, or the cause. */
function explainCheck(state: ExplainedCheckState, problem: Problem | EndedProblem, isOwn: boolean) {
  const { component, name, summary } = problem;
  const because = { problem: problem.problem, component, name };
  const isSaid = state.seen.includes(summary);
  const named = isSaid ? '' : `: ${summary}`;
  if ('endedAt' in problem) return { ...state, cause: `of a problem that is over${named}`, because };
  const { judgedBy }: ProblemKind = problemCatalog[problem.problem];
  // Known failures have no check of their own. The check of their container shows them.
  const ownJudges: readonly CheckName[] = judgedBy.length === 0 ? ['container'] : judgedBy;
  // That no node was ever reached, each node shows by itself.
  const judgesIt = (isOwn || problem.problem === 'never_reached') && ownJudges.includes(state.check);
  // Its words and its fix are from before it began to clear. So is what a relayer said last, as its next line would end its failure.
  if (problem.state === 'clearing')
    return judgesIt && state.check !== 'submissions'
      ? { ...state, because }
      : { ...state, cause: `of a problem that seems to be over${named}`, because };
  const { fix } = problem;
  if (!judgesIt && !isSaid) return { ...state, cause: summary, because };
  return isOwn || isSaid ? { ...state, fix, because } : { ...state, because };
}

/** By target: the first of these problems that is about it, else the first that names it. They are the worst first. */
function findNaming(problems: readonly Problem[], targets: readonly TargetState[]): ReadonlyMap<string, Problem> {
  const own = problems.map((one) => [subjectKey(one), one] as const);
  const others = problems.flatMap((one) => {
    const { problem, nodes = [], since } = one;
    // Of a crash those that run as Docker started them after it. What came after that is seen of the node itself.
    const isNamed = ({ target: { component, name }, facts }: TargetState) => {
      const { running, startedAt = 0 } = findContainer(facts.container) ?? {};
      return component === 'node' && nodes.includes(name) && running && startedAt - since < START_MS;
    };
    const crashed = problem === 'containers_crashed' && targets.filter(isNamed).map(({ target }) => target.name);
    return (crashed || nodes).map((name) => [subjectKey({ component: 'node', name }), one] as const);
  });
  return new Map([...own, ...others].toReversed());
}

/** What a target is asked itself. */
const ASKED: readonly CheckName[] = ['latest_block', 'peers', 'http'];

/** Docker says so before the node is asked. */
const isDown = ({ component, problem }: Problem): boolean =>
  component === 'node' && (problem === 'container_down' || problem === 'container_paused');

const explainsSilence = ({ component, name, explains }: Problem): boolean =>
  component === 'node' && explains.some((each) => each.name === name && each.check === 'latest_block');

/** If more nodes are out, one of them is named, and the others are only counted: comparing all of them takes long. */
const MOST_COMPARED = 50;

/** What is wrong with several, once for those of whom the same is said. */
const sayAll = (problems: readonly Problem[]): string =>
  nameSome([...new Set(problems.map((one) => sayTogether(one, problems)))], 3);

/** The targets as people read them: with the problem that names each of them, and with why each of its failing checks fails. */
export function explainTargets(
  targets: readonly TargetState[],
  problems: readonly Problem[],
  ended: readonly EndedProblem[] = [],
): readonly TargetState[] {
  const clearing = problems.filter(({ state }) => state === 'clearing');
  const lasting = problems.filter(({ state }) => state !== 'clearing');
  // What lasts explains more than what seems to be over, and that more than what is.
  const explaining = [...ended, ...clearing, ...lasting];
  const byCheck = new Map(explaining.flatMap((one) => one.explains.map((each) => [keyOf(each), one] as const)));
  const isChecked = ({ state, severity }: Problem) => state === 'suspected' && severity !== 'info';
  const naming = findNaming(
    problems.filter(({ state, severity }) => state === 'open' && severity !== 'info'),
    targets,
  );
  const suspected = findNaming(problems.filter(isChecked), targets);
  // What kept a node from taking part and has ended just now.
  const over = clearing.filter(({ problem, component }) => component === 'node' && RECOVERED_FROM.includes(problem));
  const fails = (state: TargetState) => checkOf(state, 'latest_block')?.verdict === 'fail';
  const silent: ReadonlySet<string | undefined> = new Set(targets.filter(fails).map(({ target }) => target.name));
  const isMissed = (one: Problem) => one.component === 'node' && silent.has(one.name) && explainsSilence(one);
  const lastingMissed = lasting.filter(isMissed);
  // A crash stays for minutes: when its node came back, its container tells.
  const back = over.filter(({ problem }) => problem !== 'container_restarting');
  const coming = findComing(targets, {
    nodes: new Map(back.map(({ name = '', seenAt, clearingSince = seenAt }) => [name, clearingSince])),
    blindAt: Math.max(...[...problems, ...ended].flatMap(({ problem, seenAt }) => (isBlind(problem) ? seenAt : []))),
  });
  const explain = (judged: TargetState): TargetState => {
    const { component, name } = judged.target;
    const key = subjectKey({ component, name });
    const [problem, checked] = [naming.get(key), suspected.get(key)];
    const isWell = judged.checks.every(({ verdict }) => verdict !== 'fail');
    if (isWell && problem === undefined && checked === undefined) return judged;
    const container = viewContainer(judged);
    const explainOne = (one: ExplainedCheckState) => {
      if (one.verdict !== 'fail') return one;
      // What runs now has not been asked yet, where the answer is from before its container was started. Docker may not have said how it runs.
      const isNew = hasJustBegun(judged.facts.container) || isFromBefore({ state: judged, container }, one.check);
      const isOld = ASKED.includes(one.check) && isNew;
      const check = isOld ? { ...one, fix: JUST_STARTED } : one;
      // The log of a node that was away has stood.
      const wasAway = (one: Problem) => subjectKey(one) === key && !hasLoggedSince(judged, one.seenAt);
      const away = check.check === 'log_block' ? over.find(wasAway) : undefined;
      const found = byCheck.get(keyOf({ component, name, check: check.check }));
      // A pause or an end that came after its last answer is not why that showed a fault.
      const isLater = judged.facts.node?.observation.answered && ASKED.includes(check.check) && found?.name === name;
      const because = (isLater && lasting.some((each) => each === found && isDown(each)) ? undefined : found) ?? away;
      if (because === undefined) return check;
      const isOwn = because.component === component && because.name === name;
      // Several may be out, or have been until now, each of which costs a peer.
      if (check.check !== 'peers' || because.component !== 'node' || isOwn || !('state' in because))
        return explainCheck(check, because, isOwn);
      const isRecent = (each: Problem) => because.seenAt - each.seenAt < START_MS;
      const isOver = because.state === 'clearing';
      const alike = isOver ? clearing.filter(isRecent) : lasting;
      const missed = (isOver ? alike.filter(isMissed) : lastingMissed).filter((each) => each.name !== name);
      if (missed.length > MOST_COMPARED) {
        const others = missed.filter((each) => each !== because).length;
        return explainCheck(check, { ...because, summary: `${because.summary}, and ${others} others are out` }, false);
      }
      const areFew = missed.length < countMissing(judged);
      const isOut = (each: Problem) => each === because || missed.includes(each) || (areFew && isDown(each));
      const out = alike.filter((each) => each.component === 'node' && each.name !== name && isOut(each));
      const also = describeOthers(judged, new Set(out.map((each) => each.name)), coming);
      return explainCheck(check, { ...because, summary: `${sayAll(out)}${also}` }, false);
    };
    const checks = judged.checks.map(explainOne);
    return { ...judged, ...(problem && { problem }), ...(checked && { suspected: checked }), checks };
  };
  return explainPeers(targets.map(explain), coming);
}
