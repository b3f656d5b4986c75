import type { WatchedMs } from '../../lib/clock.ts';
import { formatDuration } from '../../lib/duration.ts';
import { beginSentence, formatCount, listEach } from '../../lib/words.ts';
import { type Headline, NOT_DIAGNOSED, type Standing } from '../../model/headline.ts';
import { isUnread } from '../../model/is-judged.ts';
import { describePlanned, type PlannedWork } from '../../model/planned-work.ts';
import { isStanding, type Problem } from '../../model/problem.ts';
import { FORECASTS, isBlind, type ProblemName } from '../../model/problem-catalog.ts';
import { START_MS } from '../../model/restart-cause.ts';
import { countReserve, isQuorumLost, type Quorum, type SubnetState, type TargetState } from '../../model/snapshot.ts';
import { lacksEngine } from './subnet-view.ts';

const MAX_CAUSES = 3;

const sentence = (text: string): string => (text === '' ? '' : `${beginSentence(text)}.`);

/** How many can vote, in the words of the headline. */
export const describeVotes = ({ total, required, voting, starting = 0 }: Quorum, can = 'can'): string =>
  `${voting - starting} of ${total} masternodes ${can} vote, ${required} needed${starting === 0 ? '' : `, and ${formatCount(starting, 'has', 'have')} just started`}`;

function nameCauses(problems: readonly Problem[], except: Problem | undefined): string {
  const isNamed = (one: Problem) => (one.name !== undefined || isSure(one)) && one.state !== 'clearing';
  const causes = problems.filter((one) => one !== except && isNamed(one));
  const named = causes.slice(0, MAX_CAUSES).map(({ summary }) => summary);
  const more = causes.length - named.length;
  return sentence(`${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`);
}

const OF_DOCKER: readonly ProblemName[] = ['container_down', 'container_paused', 'container_restarting'];

/** Whether it is what Docker says of a node or of several, which is sure before it is confirmed. */
const isSure = ({ problem, component, state }: Problem): boolean =>
  state === 'suspected' && (problem === 'containers_crashed' || (component === 'node' && OF_DOCKER.includes(problem)));

/** The standing of a subnet with a problem of the whole, and what follows its name in the sentence. The worst first. */
const WHOLE: Readonly<Partial<Record<ProblemName, readonly [Standing, string?]>>> = {
  subnet_halted: ['bad', 'is halted'],
  chain_forked: ['bad', 'is forked'],
  finality_stalled: ['bad', 'commits no blocks'],
  monitor_offline: ['off', 'cannot be seen from here'],
  never_reached: ['off', 'has not been reached yet'],
  quorum_at_risk: ['warn'],
};

const WORST_FIRST: readonly string[] = Object.keys(WHOLE);

/** Reported for minutes after they happened. What lasts comes first. */
const HAPPENED: readonly ProblemName[] = ['containers_crashed', 'double_vote'];

/** Whether it has happened so long ago that what is suspected now is another matter. */
const isLongPast = ({ problem, planned, since, seenAt }: Problem): boolean =>
  HAPPENED.includes(problem) && planned === undefined && seenAt - since >= START_MS;

/** The lowest is the worst: open before clearing before planned, then critical ones, then the whole subnet before a target. */
function rank({ problem, state, severity, planned }: Problem): number {
  if (isBlind(problem) && state !== 'clearing') return -1;
  const place = WORST_FIRST.indexOf(problem);
  return (
    (planned === undefined ? 0 : 200) +
    (state === 'clearing' ? 100 : 0) +
    (severity === 'critical' ? 0 : 50) +
    (place < 0 ? 20 : place) +
    (HAPPENED.includes(problem) ? 10 : 0) +
    // What fails now comes before what will fail.
    (FORECASTS.includes(problem) ? 15 : 0)
  );
}

const join = (...sentences: readonly string[]): string => sentences.filter(Boolean).join(' ');

const describePlan = ({ planned }: Problem): string => (planned === undefined ? '' : `, ${describePlanned(planned)}`);

/** What to do about a problem; nothing while planned work covers it. */
const describeFix = ({ fix, planned }: Problem): string => (planned === undefined ? sentence(fix) : '');

/** `hasRisen`: a node has shown a new block since the start of subnetd. `quietMs`: how long none has come, where that is longer than usual. */
type Seen = Pick<SubnetState, 'quorum' | 'plannedWork' | 'members'> & {
  readonly hasRisen: boolean;
  readonly quietMs?: number;
};

/** What is said of the worst of the confirmed problems while it lasts; `votes` once all nodes are asked. */
function tellWorst(subnet: string, worst: Problem, confirmed: readonly Problem[], votes: string, seen: Seen) {
  // Nodes bring a problem of the whole subnet, so they are named before its fix. Right after another target it would be read as that one's.
  const isOfNode = ({ component }: Problem) => component === 'node';
  const causes = WHOLE[worst.problem] === undefined ? '' : nameCauses(confirmed.filter(isOfNode), worst);
  const rest = nameCauses(causes === '' ? confirmed : confirmed.filter((one) => !isOfNode(one)), worst);
  const is = seen.hasRisen ? 'is running, but' : 'has not been seen to make a block yet, and';
  const [standing, words = `${is} ${worst.summary}`] = WHOLE[worst.problem] ?? ['warn' as const];
  const { total, voting } = (worst.problem === 'subnet_halted' && votes && seen.quorum) || { total: 0, voting: 0 };
  const silent = formatCount(total - voting, `of ${total} masternodes does`, `of ${total} masternodes do`);
  return {
    standing,
    sentence: `${subnet} ${words}${voting < total ? `: ${silent} not vote` : ''}${describePlan(worst)}`,
    detail: join(causes || (worst.name === undefined || rest === '' ? votes : ''), describeFix(worst), rest),
  };
}

export function findHeadline(
  subnet: string,
  targets: readonly TargetState[],
  problems: readonly Problem[],
  { quorum, hasRisen, quietMs = 0, plannedWork = [], members = [] }: Seen,
): Headline {
  if (targets.every(({ checks }) => checks.every(({ lastRun }) => lastRun === undefined)))
    return { standing: 'off', sentence: `${subnet} has not been checked yet`, detail: NOT_DIAGNOSED.detail };
  // Who is not asked yet is not known to vote.
  const areAsked = targets.every(({ target, facts }) => target.component !== 'node' || facts.node !== undefined);
  const reserve = quorum && countReserve(quorum);
  // While nothing is seen of a subnet, nothing is said of it, before that is confirmed too. In the first round others may still answer.
  const blind = problems.find(
    ({ problem, state }) => isBlind(problem) && (state === 'open' || (areAsked && state === 'suspected')),
  );
  // Where too few vote, those that do are not why.
  const isShort = (reserve ?? 0) < 0;
  const voters = new Set(isShort ? members.flatMap(({ name, vote }) => (vote === 'votes' ? name : [])) : []);
  const isTold = ({ component, name = '' }: Problem) => component !== 'node' || !(blind || voters.has(name));
  const confirmed = problems.filter(
    (one) => one === blind || (isStanding(one) && one.severity !== 'info' && isTold(one)),
  );
  const [worst] = confirmed.toSorted((one, other) => rank(one) - rank(other));
  // What is found of the votes changes from look to look. Only with no spare and none missing may no further node fail.
  const fitsVotes = ({ problem }: Problem) => problem !== 'quorum_at_risk' || (reserve ?? 0) === 0;
  // The worst one comes first, so nothing else is open.
  const isClearing = worst?.state === 'clearing' && worst.planned === undefined;
  const suspicions = problems.filter((one) => one.state === 'suspected' && one.severity !== 'info' && fitsVotes(one));
  const isNews = (one: Problem) => one.name !== undefined || one.isNext || isSure(one);
  const news = worst && !isClearing && isLongPast(worst) ? suspicions.find(isNews) : undefined;
  const suspected = news ?? suspicions[0];
  const suspicion = suspected === undefined ? '' : `Suspected: ${suspected.summary}.`;
  // What is suspected of a node may have cost a vote that was counted before. What Docker says of it is counted at once.
  const mayCost = (one: Problem) => worst === undefined || (one.component === 'node' && !isSure(one));
  const isDoubted = (reserve ?? 0) > 0 && suspected !== undefined && mayCost(suspected);
  const counted = quorum && areAsked ? describeVotes(quorum, isDoubted ? 'could' : 'can') : '';
  const votes = counted && `${isDoubted ? 'When they were last asked, ' : ''}${counted}.`;
  const isSpareAwaited = worst?.problem === 'quorum_at_risk' && reserve !== undefined && reserve <= 0;
  const over = isSpareAwaited
    ? `Over once ${quorum?.starting ? 'those that have just started vote' : 'there is a spare vote again'}`
    : 'No longer seen, and over unless it returns';
  const gone = isClearing && worst.summary !== suspected?.summary ? `${over}: ${worst.summary}.` : '';
  const describeWork = (one: PlannedWork) =>
    `Work on ${one.name ?? one.component ?? 'the subnet'} is ${describePlanned(one)}.`;
  const tell = (standing: Standing, words: string, ...details: readonly string[]) => ({
    standing,
    sentence: `${subnet} ${words}`,
    detail: join(...details, ...plannedWork.map(describeWork)),
  });
  // What else is said leaves out the containers of a Docker Engine that does not answer.
  const hidden = targets.filter(lacksEngine).length;
  const hiddenOnes = hidden === 1 ? '1 container and its log' : `${hidden} containers and their logs`;
  const unseen = hidden === 0 ? '' : `Docker does not answer, so ${hiddenOnes} cannot be seen.`;
  const isOfPart = worst === undefined || isClearing || WHOLE[worst.problem]?.[1] === undefined;
  // Not every problem costs a vote.
  const said = worst && fitsVotes(worst) ? sentence(`${worst.summary}${describePlan(worst)}`) : '';
  const known =
    worst && !isClearing && !news ? join(said, describeFix(worst), nameCauses(confirmed, worst)) : suspicion;
  if (isOfPart && isQuorumLost(quorum)) {
    const isSaid = suspected !== undefined && isSure(suspected);
    // A wallet or a page keeps no vote back.
    const isOther = !isClearing && worst?.component !== undefined && worst.component !== 'node';
    // What costs votes comes first.
    const sure = nameCauses(problems.filter(isSure), undefined);
    const words = `may be halted: ${describeVotes(quorum)}`;
    const told = [isOther && !isSaid ? suspicion : '', isSaid && known === suspicion ? '' : known];
    return tell('warn', words, sure, ...told, isSpareAwaited ? '' : gone, unseen);
  }
  if (worst === undefined && !hasRisen) return tell('off', 'has not been seen to make a block yet', votes, suspicion);
  // Too few take part until more of those that have just started do.
  if (isOfPart && quorum?.starting !== undefined && isShort) {
    const words = 'is waiting for masternodes that have just started';
    return tell('warn', words, votes, known, isSpareAwaited ? '' : gone, unseen);
  }
  if (worst === undefined) {
    if (isDoubted) return tell('ok', 'is running, but a possible problem is being checked', suspicion, votes, unseen);
    const isSafe = reserve === undefined || reserve > 0;
    const mayLose = isSafe
      ? `: it can lose ${formatCount(reserve ?? 0, 'more node', 'more nodes')}`
      : ' with no spare vote';
    const unread = listEach(targets.filter(isUnread), ({ target }) => target.name);
    const isAllKnown = suspected === undefined && quorum?.starting === undefined && unread === '' && quietMs === 0;
    // What would page if it is confirmed is being checked.
    const standing = suspected?.severity === 'critical' ? 'warn' : 'ok';
    const words = `${isAllKnown && isSafe ? 'is healthy' : 'is running'}${reserve === undefined ? '' : mayLose}`;
    const quiet = quietMs === 0 ? '' : `The last block came ${formatDuration(quietMs)} ago.`;
    return tell(standing, words, votes, quiet, suspicion, unseen, unread && `Still to be read: ${unread}.`);
  }
  if (news !== undefined) {
    const words = 'is running, but a possible problem is being checked';
    return { ...tell('warn', words, votes, suspicion, sentence(worst.summary), unseen), since: worst.since };
  }
  if (isClearing) {
    const words = `is recovering${suspected === undefined ? '' : ', but a possible problem is being checked'}`;
    return { ...tell('warn', words, votes, suspicion, gone, unseen), since: worst.since };
  }
  return { ...tellWorst(subnet, worst, confirmed, votes, { quorum, hasRisen }), since: worst.since };
}

/** The same while the diagnosis breaks: nobody knows whether what was last found still holds. */
export function describeBroken(subnet: string, foundAt: WatchedMs | undefined, last: Headline | undefined): Headline {
  const found = last === undefined ? 'Nothing was known before.' : `Last known state: ${last.sentence}.`;
  return {
    standing: 'off',
    sentence: `${subnet} is in an unknown state`,
    detail: `Its diagnosis crashes, which is a bug in subnetd: please report the error in its log. ${found}`,
    since: foundAt,
  };
}
