import type { WatchedMs } from '../../lib/clock.ts';
import { formatDuration } from '../../lib/duration.ts';
import { beginSentence, formatCount, formatRange, listEach, listFirst, sayTogether } from '../../lib/words.ts';
import { type Headline, NOT_DIAGNOSED, type Standing } from '../../model/headline.ts';
import { isJudgedFor, isUnread } from '../../model/is-judged.ts';
import { describePlanned, type PlannedWork } from '../../model/planned-work.ts';
import { isStanding, type Problem } from '../../model/problem.ts';
import { FORECASTS, isBlind, type ProblemName } from '../../model/problem-catalog.ts';
import { START_MS } from '../../model/restart-cause.ts';
import { countReserve, isQuorumLost, type Quorum, type SubnetState, type TargetState } from '../../model/snapshot.ts';
import { lacksEngine } from './subnet-view.ts';
import { OF_DOCKER } from './view-subnet.ts';

const MAX_CAUSES = 3;

const sentence = (text: string): string => (text === '' ? '' : `${beginSentence(text)}.`);

export const describeVotes = ({ total, required, voting, starting = 0, doubtful = 0, together }: Quorum): string =>
  together
    ? `at most ${together} of ${total} masternodes see each other, ${required} needed`
    : `${formatRange(voting - starting - doubtful, voting - starting)} of ${total} masternodes can vote, ${required} needed${starting === 0 ? '' : `, and ${formatCount(starting, 'has', 'have')} just started`}`;

function nameCauses(problems: readonly Problem[], except?: Problem): string {
  const isNamed = (one: Problem) => (one.name !== undefined || isSure(one)) && one.state !== 'clearing';
  const causes = problems.filter((one) => one !== except && isNamed(one)).map(({ summary }) => summary);
  return sentence(listFirst(causes, MAX_CAUSES));
}

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

/** Reported for minutes after they happened. What lasts comes first. */
const HAPPENED: readonly ProblemName[] = ['containers_crashed', 'double_vote'];

/** Whether it has happened so long ago that what is found now is another matter. */
const isLongPast = ({ problem, state, planned, since, seenAt, isPast }: Problem): boolean =>
  (isPast || (HAPPENED.includes(problem) && seenAt - since >= START_MS)) && state === 'open' && planned === undefined;

/** The lowest is the worst: all that is open before what clears, and that before what is planned; then critical ones, then the whole subnet before a target. */
function rank(one: Problem): number {
  const { problem, state, severity, planned } = one;
  if (isBlind(problem) && state !== 'clearing') return -1;
  const place = Object.keys(WHOLE).indexOf(problem);
  return (
    (planned === undefined ? 0 : 200) +
    (state === 'clearing' ? 100 : 0) +
    (severity === 'critical' ? 0 : 50) +
    (place < 0 ? 20 : place) +
    (HAPPENED.includes(problem) ? 10 : 0) +
    (isLongPast(one) ? 10 : 0) +
    // What fails now comes before what will fail.
    (FORECASTS.includes(problem) ? 15 : 0)
  );
}

const join = (...sentences: readonly string[]): string => sentences.filter(Boolean).join(' ');

const describePlan = ({ planned }: Problem): string => (planned === undefined ? '' : `, ${describePlanned(planned)}`);

/** What to do about a problem; nothing while planned work covers it. */
const describeFix = ({ fix, planned }: Problem): string => (planned === undefined ? sentence(fix) : '');

/** `hasRisen`: a node has shown a new block since the start of subnetd. */
type Seen = Pick<SubnetState, 'quorum' | 'plannedWork' | 'members' | 'quietMs'> & { readonly hasRisen: boolean };

/** Since when no block came, beside the worst of what lasts; nothing while blocks come, and of a halt, which says so itself. */
const describeQuiet = ({ quietMs = 0, hasRisen }: Seen, worst: Problem | undefined): string =>
  quietMs > 0 && hasRisen && worst?.problem !== 'subnet_halted' ? `last block came ${formatDuration(quietMs)} ago` : '';

/** What is said of the worst of the confirmed problems while it lasts; `votes` once all nodes are asked. */
function tellWorst(subnet: string, worst: Problem, all: readonly Problem[], votes: string, more: string, seen: Seen) {
  // Nodes bring a problem of the whole subnet, so they are named before its fix. Right after another target it would be read as that one's.
  const isCause = ({ component, isPast }: Problem) => component === 'node' && !isPast;
  const causes = WHOLE[worst.problem] === undefined ? '' : nameCauses(all.filter(isCause), worst);
  const rest = nameCauses(causes === '' ? all : all.filter((one) => !isCause(one)), worst);
  const is = seen.hasRisen ? 'is running, but' : 'has not been seen to make a block yet, and';
  const [standing, words = `${is} ${worst.summary}`] = WHOLE[worst.problem] ?? ['warn' as const];
  const { total, voting } = (worst.problem === 'subnet_halted' && votes && seen.quorum) || { total: 0, voting: 0 };
  const silent = formatCount(total - voting, `of ${total} masternodes does`, `of ${total} masternodes do`);
  const known = causes || (worst.name === undefined || rest === '' ? votes : '');
  const came = describeQuiet(seen, worst);
  return {
    standing,
    sentence: `${subnet} ${words}${voting < total ? `: ${silent} not vote` : ''}${describePlan(worst)}`,
    detail: join(known, came && `The ${came}.`, describeFix(worst), rest, more),
    since: worst.since,
  };
}

/** What is said of problems that clear; nothing of a spare vote while more than that is missing. */
function describeClearing(ones: readonly Problem[], quorum: Quorum | undefined): string {
  const reserve = quorum ? countReserve(quorum) : 1;
  const isRisk = ({ problem }: Problem) => problem === 'quorum_at_risk' && reserve <= 0;
  const over = ones.filter((one) => !isRisk(one)).map(({ summary }) => summary);
  const unless = over.length === 1 ? 'it returns' : 'they return';
  const awaited = quorum?.starting ? 'those that have just started vote' : 'there is a spare vote again';
  const risk = reserve === 0 && ones.find(isRisk);
  return join(
    over.length > 0 ? `No longer seen, and over unless ${unless}: ${listFirst(over, MAX_CAUSES)}.` : '',
    risk ? `Over once ${awaited}: ${risk.summary}.` : '',
  );
}

/** What else is said leaves out the containers of a Docker Engine that does not answer. */
function describeUnseen(targets: readonly TargetState[]): string {
  const hidden = targets.filter(lacksEngine);
  // A log that is a file is read all the same.
  const logs = hidden.filter(({ target }) => target.logFiles.length === 0).length;
  const which = [
    formatCount(hidden.length, 'container', 'containers'),
    ...(logs > 0 ? [formatCount(logs, 'log', 'logs')] : []),
  ];
  return hidden.length === 0 ? '' : `Docker does not answer, so ${which.join(' and ')} cannot be seen.`;
}

const IN_DOUBT = 'a possible problem is being checked';
const NOT_CHECKED = 'has not been fully checked yet';

/** First what is known, then the words for it, then the first case that holds. */
export function findHeadline(
  subnet: string,
  targets: readonly TargetState[],
  problems: readonly Problem[],
  seen: Seen,
): Headline {
  if (targets.every(({ checks }) => checks.every(({ lastRun }) => lastRun === undefined)))
    return { standing: 'off', sentence: `${subnet} has not been checked yet`, detail: NOT_DIAGNOSED.detail };
  const { quorum, hasRisen, quietMs = 0, plannedWork = [], members = [] } = seen;
  // Who is not asked yet is not known to vote.
  const areAsked = targets.every(({ target, facts }) => target.component !== 'node' || facts.node !== undefined);
  const reserve = quorum ? countReserve(quorum) : 0;
  const isShort = reserve < 0;
  const told = problems.filter(({ severity }) => severity !== 'info');
  // While nothing is seen of a subnet, nothing is said of it, before that is confirmed too.
  const blind = told.find(({ problem, state }) => isBlind(problem) && state !== 'clearing');
  // Where too few vote, those that do are not why.
  const voters = new Set(isShort ? members.flatMap(({ name, vote }) => (vote === 'votes' ? name : [])) : []);
  const isShown = ({ component, name = '' }: Problem) => component !== 'node' || !(blind || voters.has(name));
  const confirmed = told.filter((one) => one === blind || (isStanding(one) && isShown(one)));
  const [worst] = confirmed.toSorted((one, other) => rank(one) - rank(other));
  // What is found of the votes changes from look to look. Only with no spare and none missing may no further node fail.
  const fitsVotes = ({ problem }: Problem) => problem !== 'quorum_at_risk' || reserve === 0;
  const suspicions = told.filter((one) => one.state === 'suspected' && fitsVotes(one));
  const isNews = (one: Problem) => one.name !== undefined || one.isNext || isSure(one);
  const news = worst && isLongPast(worst) ? suspicions.find(isNews) : undefined;
  const suspected = news ?? suspicions[0];
  // The worst one comes first, so nothing else is open.
  const clearing = worst?.state === 'clearing' && worst.planned === undefined ? worst : undefined;
  const lasting = clearing || news ? undefined : worst;
  // What is suspected of a node may have cost a vote that was counted before. What Docker says of it is counted at once.
  const mayCost = (one: Problem) => worst === undefined || (one.component === 'node' && !isSure(one));
  const doubt = reserve > 0 ? suspicions.find(mayCost) : undefined;
  const mayVote = ({ component = 'node' }: Problem) => component === 'node';
  const when = doubt && mayVote(doubt) && !quorum?.together ? 'By their last answers, ' : '';
  const votes = quorum && areAsked ? sentence(`${when}${describeVotes(quorum)}`) : '';
  const tellSuspected = (one: Problem | undefined) => (one ? `Suspected: ${sayTogether(one, suspicions)}.` : '');
  const suspicion = tellSuspected(suspected);
  // Without a new block nobody knows that a halt is over.
  const hasNoBlock = quietMs > 0 || !hasRisen;
  const isGone = ({ problem, planned, summary }: Problem) =>
    planned === undefined && summary !== suspected?.summary && !(hasNoBlock && problem === 'subnet_halted');
  const gone = clearing ? describeClearing(confirmed.filter(isGone), quorum) : '';
  const came = describeQuiet(seen, lasting);
  const late = came && `is running, but its ${came}`;
  const unseen = blind ? '' : describeUnseen(targets);
  const describeWork = (one: PlannedWork) =>
    `Work on ${one.name ?? one.component ?? 'the subnet'} is ${describePlanned(one)}.`;
  const tell = (standing: Standing, words: string, ...details: readonly string[]) => ({
    standing,
    sentence: `${subnet} ${words}`,
    detail: join(...details, ...plannedWork.map(describeWork)),
  });
  // A container that did not run before subnetd was started may run until Docker is asked, and missing votes show in pools later.
  const isUnasked = (one: TargetState) => one.target.name === lasting?.name && !isJudgedFor(one, lasting.problem);
  const isUncounted = lasting?.problem === 'quorum_at_risk' && reserve > 0;
  const isUndocked = lasting && OF_DOCKER.includes(lasting.problem) && !isShort && targets.some(isUnasked);
  if (lasting?.restoredAt && (isUncounted || isUndocked))
    return tell('warn', NOT_CHECKED, `Seen before subnetd was started: ${lasting.summary}.`, isUncounted ? '' : votes);
  // A halt or a fork says more than that too few can vote.
  if (lasting && (!isShort || WHOLE[lasting.problem]?.[1] !== undefined))
    return tellWorst(subnet, lasting, confirmed, votes, join(unseen, when && tellSuspected(doubt)), seen);
  // Not every problem costs a vote.
  const summary = lasting && fitsVotes(lasting) ? sentence(`${lasting.summary}${describePlan(lasting)}`) : '';
  const known = lasting ? join(summary, describeFix(lasting), nameCauses(confirmed, lasting)) : '';
  if (isShort && isQuorumLost(quorum)) {
    // Only what costs votes is suspected then, as a wallet or a page costs none. What ended several at once comes first, as a stop of Docker.
    const costs = suspicions.filter((one) => mayVote(one) && isShown(one));
    const sure = nameCauses(costs.filter(isSure).toSorted((one, other) => (one.name ? 1 : 0) - (other.name ? 1 : 0)));
    const isOfVotes = lasting && mayVote(lasting) && !HAPPENED.includes(lasting.problem);
    const unsure = isOfVotes ? '' : tellSuspected(costs.find((one) => !isSure(one)));
    // What clears is no news then, least of all the halt before.
    return tell('warn', `may be halted: ${describeVotes(quorum)}`, sure, unsure, known, unseen);
  }
  // Nor is known, of what an earlier process has seen to clear, whether it has come back, and whether blocks come.
  if ((worst === undefined || clearing?.restoredAt !== undefined) && !(areAsked && hasRisen))
    return tell('off', areAsked ? 'has not been seen to make a block yet' : NOT_CHECKED, votes, suspicion);
  // Too few take part until more of those that have just started do.
  if (isShort) {
    const words = 'is waiting for masternodes that have just started';
    return tell('warn', words, votes, lasting ? known : suspicion, gone, unseen);
  }
  // What is left clears, or is longer ago than what is suspected.
  if (worst !== undefined) {
    const words = clearing ? `is recovering${suspected ? `, but ${IN_DOUBT}` : ''}` : `is running, but ${IN_DOUBT}`;
    const past = clearing ? gone : sentence(worst.summary);
    return { ...tell('warn', late || words, votes, suspicion, past, unseen), since: worst.since };
  }
  if (doubt) return tell(late ? 'warn' : 'ok', late || `is running, but ${IN_DOUBT}`, suspicion, votes, unseen);
  const unread = listEach(targets.filter(isUnread), ({ target }) => target.name);
  const { starting, doubtful = 0 } = quorum ?? {};
  const isAllKnown = `${suspicion}${unread}` === '' && starting === undefined && doubtful === 0;
  const more = reserve > doubtful && `: it can lose ${formatCount(reserve - doubtful, 'more node', 'more nodes')}`;
  const mayLose = quorum && (reserve === 0 ? ' with no spare vote' : more || '');
  const is = `${isAllKnown && (reserve !== 0 || !quorum) ? 'is healthy' : 'is running'}${mayLose ?? ''}`;
  // What would page if it is confirmed is being checked.
  const standing = late || suspected?.severity === 'critical' ? 'warn' : 'ok';
  return tell(standing, late || is, votes, suspicion, unseen, unread && `Still to be read: ${unread}.`);
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
