import { formatAgo, formatDuration, formatMinute } from '../../lib/duration.ts';
import { highest } from '../../lib/numbers.ts';
import { formatCount, joinAnd, shorten } from '../../lib/words.ts';
import { isCredible } from '../../model/chain.ts';
import { addressOf, type ContainerFacts, countPeers } from '../../model/facts.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import type { RestartAnswer } from '../../model/restart-answer.ts';
import { findContainer, findSeries, isLooping, isStopping, START_MS } from '../../model/restart-cause.ts';
import {
  countReserve,
  hasTurns,
  type Member,
  type Quorum,
  type SubnetState,
  type TargetState,
} from '../../model/snapshot.ts';
import type { NodeTarget } from '../../model/target.ts';
import { findNearChoice, findNewEpoch } from './find-epoch.ts';
import { findTurn } from './find-turn.ts';
import { checkOf, hasLostNetwork } from './subnet-view.ts';
import { heightOf, viewContainer } from './view-node.ts';

/** When a question about restarts is asked, and since when facts are new enough to answer it. Watched time. */
interface RestartMoment {
  readonly now: number;
  readonly freshSince: number;
  /** The same of nodes that do not answer, where nobody waits for them to fail again. */
  readonly silentSince?: number;
  /** By how much Unix time is ahead of watched time. */
  readonly wallAheadMs?: number;
}

/** Why a masternode cannot be counted on while another one restarts: it does not vote, was just started or stopped, or nobody knows. */
type Veto = { readonly kind: 'out' | 'recovering' | 'doubtful'; readonly why: string } | undefined;

/** For this long after its start a node must still show that it is complete and votes. */
const WATCHED_MS = 10 * 60_000;

/** Problems of a node that leave its votes out, whatever else is seen of it. */
const WITHOUT_VOTE: ReadonlySet<ProblemName> = new Set([
  'node_stalled',
  'node_behind',
  'node_without_block',
  'node_partitioned',
  'node_not_voting',
  'other_chain',
  'miner_loop_stopped',
  'masternode_update_failed',
  'database_lost',
]);

const out = (why: string): Veto => ({ kind: 'out', why });
const recovering = (why: string): Veto => ({ kind: 'recovering', why });
const doubtful = (why: string): Veto => ({ kind: 'doubtful', why });

/** Why what is known of a node is too old to rely on; undefined when it is new. */
function findStale(state: TargetState, { now, freshSince, silentSince = freshSince }: RestartMoment) {
  const { name, container } = state.target;
  const needed = state.facts.node?.observation.answered === false ? silentSince : freshSince;
  const height = checkOf(state, 'latest_block');
  if (height === undefined || height.verdict === 'skipped') return `nothing probes the height of ${name}`;
  const isOld = (at: number | undefined) => at === undefined || at < needed;
  const since = (at: number | undefined) => (at === undefined ? 'yet' : `for ${formatDuration(Math.max(0, now - at))}`);
  if (isOld(height.lastRun)) return `no probe of ${name} has ended ${since(height.lastRun)}`;
  if (container === undefined) return undefined;
  const observation = state.facts.container?.observation;
  const asked = checkOf(state, 'container')?.lastRun;
  if (observation === undefined || isOld(asked)) return `Docker has said nothing about ${name} ${since(asked)}`;
  return observation.kind === 'docker-unreachable'
    ? `Docker does not answer, so a restart of ${name} would not be seen`
    : undefined;
}

/** Why the container of a node does not run, by facts that are new; undefined when it does, has none, or the node answers all the same. */
function findDown(state: TargetState): string | undefined {
  const { name } = state.target;
  const container = viewContainer(state);
  const { kind } = container;
  if (hasLostNetwork({ container, height: heightOf(state) })) return `${name} is connected to no network`;
  if (kind === 'missing') return `${name} has no container`;
  if (kind === 'paused') return `the container of ${name} is paused`;
  return kind === 'stopped' || kind === 'restarting' ? `the container of ${name} does not run` : undefined;
}

function judgeContainer(state: TargetState, facts: ContainerFacts, now: number): Veto {
  const { name } = state.target;
  const container = findContainer(facts);
  const down = findDown(state);
  if (isLooping(facts, now)) return out(`${name} crashes again and again`);
  if (down !== undefined) {
    // A container that is made again is missing meanwhile.
    const endedAt = container?.finishedAt ?? facts.lastExit?.at;
    const isNew = container?.status !== 'paused' && endedAt !== undefined && now - endedAt < START_MS;
    return isNew ? recovering(`${name} went down ${formatAgo(endedAt, now)}`) : out(down);
  }
  // The node answers, so it runs in a container that the inventory does not name.
  if (container === undefined) return undefined;
  const { startedAt = now } = container;
  if (isStopping(facts, now)) return recovering(`${name} is being stopped`);
  if (now - startedAt < START_MS)
    return recovering(`${name} was started ${formatAgo(startedAt, now)} and must run for a minute`);
  return undefined;
}

function judgeHeight({ target: { name }, facts: { node, logs } }: TargetState, state: SubnetState): Veto {
  const { reference, stallAfterMs, subnet } = state;
  const latest = node?.observation.latest.ok === true ? node.latest : undefined;
  if (latest === undefined) return out(`${name} gives no height`);
  if (!isCredible(latest.number, reference)) return doubtful(`the height of ${name} is not credible`);
  const lag = (reference ?? latest.number) - latest.number;
  if (lag > subnet.settings.rpc.maxLag) return out(`${name} is ${lag} blocks behind`);
  if (!latest.risen) return doubtful(`${name} has not been seen to get a new block yet`);
  // What has happened since the last probe only its log shows, and the age of the probe is judged elsewhere.
  const { height = 0, advancedAt = 0 } = logs?.node ?? {};
  const risenAt = height > latest.number ? Math.max(latest.advancedAt, advancedAt) : latest.advancedAt;
  const stalled = latest.lastGoodAt - risenAt;
  return stalled < (stallAfterMs ?? subnet.settings.rpc.stallAfterMs)
    ? undefined
    : out(`${name} has had no new block for ${formatDuration(stalled)}`);
}

/** A node that was started within the last minutes must have its peers again, and must have been asked for its votes since. */
function judgeStart(state: TargetState, { name, expectedPeers }: NodeTarget, absent: number, now: number): Veto {
  const found = findContainer(state.facts.container);
  // Without a container, a restart shows as a time without an answer, in which both fail. After a halt only one has failed.
  const checks = [checkOf(state, 'latest_block'), checkOf(state, 'peers')];
  const passSince = checks.map((check) => (check?.verdict === 'pass' ? check.since : now));
  const startedAt = found ? (found.startedAt ?? now) : Math.min(...passSince);
  const begin = found ? 'its start' : 'it was first seen to answer';
  const ran = now - startedAt;
  if (ran < START_MS) return recovering(`${name} has been seen to answer well for less than a minute`);
  if (ran >= WATCHED_MS) return undefined;
  const peers = countPeers(state.facts) ?? 0;
  const expected = Math.max(0, expectedPeers - absent);
  if (peers < expected)
    return recovering(`${name} has ${peers} of ${expected} peers ${formatDuration(ran)} after ${begin}`);
  // What it says in its first minute shows nothing of its votes.
  return (state.facts.node?.chain?.at ?? 0) - startedAt < START_MS
    ? recovering(`${name} has not been asked for its votes since the first minute after ${begin}`)
    : undefined;
}

/** `absent`: how many other nodes it cannot have as peers. */
function findVeto(state: SubnetState, node: TargetState, member: Member, absent: number, moment: RestartMoment): Veto {
  const { now } = moment;
  const { target, facts } = node;
  const stale = findStale(node, moment);
  if (stale !== undefined) return doubtful(stale);
  const work = state.plannedWork?.find(({ name }) => name === target.name);
  if (work !== undefined) return out(`${target.name} is announced to be worked on until ${formatMinute(work.until)}`);
  const byContainer = target.container && facts.container ? judgeContainer(node, facts.container, now) : undefined;
  if (byContainer !== undefined) return byContainer;
  if (member.isUnseen) return doubtful(`${target.name} cannot be seen from here`);
  if (facts.node?.observation.answered !== true) {
    const failedFor = now - (checkOf(node, 'latest_block')?.since ?? now);
    const silent = `${target.name} does not answer`;
    return target.container === undefined && failedFor < START_MS ? recovering(silent) : out(silent);
  }
  const problem = state.problems.find(
    (one) => one.name === target.name && one.state !== 'clearing' && WITHOUT_VOTE.has(one.problem),
  );
  if (problem !== undefined) return out(problem.summary);
  const found =
    judgeHeight(node, state) ?? (target.component === 'node' ? judgeStart(node, target, absent, now) : undefined);
  if (found !== undefined) return found;
  if (member.vote === 'silent') return out(`${target.name} does not vote`);
  // That may be chance, but nobody knows until its next one.
  if (member.hasMissedTurn) return doubtful(`${target.name} made no block in the last of its turns that were counted`);
  return addressOf(facts) === undefined ? doubtful(`${target.name} has not said by which address it votes`) : undefined;
}

/** Masternodes that were read longer ago are not relied on. They are read once a minute. */
const MASTERNODES_KNOWN_MS = 3 * 60_000;

/** More rounds are not missed from one reading of the masternodes to the next, as each takes a timeout. */
const MISSED_SINCE = 6;

/** For this long after subnetd itself did not run, its facts may be older than they look. */
const RESUMED_MS = 60_000;

/** The problems that rule out every restart of a node that may vote, in words: while they last, and while they clear. */
const SUBNET_PROBLEMS: Readonly<Partial<Record<ProblemName, readonly [now: string, before: string]>>> = {
  subnet_halted: ['the subnet is halted: restart only what its problem names', 'the subnet was halted'],
  chain_forked: ['the chain is forked: restart only what its problem names', 'the chain was forked'],
  finality_stalled: ['no block is committed', 'no block was committed'],
};

const NOTHING_KNOWN = 'nothing is known about the votes now';

/** Why nothing can be said about votes. */
function findDoubt(state: SubnetState, now: number): string | undefined {
  const { problems, epoch, reference, targets, brokenDiagnosis } = state;
  const lasting = problems.filter(({ state: stage }) => stage !== 'clearing');
  if (brokenDiagnosis !== undefined) return 'the diagnosis of the subnet breaks, which is a bug in subnetd';
  if (lasting.some(({ problem }) => problem === 'monitor_offline')) return 'subnetd cannot reach any node';
  const suspended = lasting.find(({ problem, since }) => problem === 'monitor_suspended' && now - since < RESUMED_MS);
  if (suspended !== undefined) return `${suspended.summary} shortly before`;
  if (epoch === undefined) return 'no node has named the masternodes yet';
  const { number = 0, nextFirstBlock = Number.POSITIVE_INFINITY, isNextAtLatest } = epoch;
  if (reference !== undefined && reference >= nextFirstBlock)
    return 'a new epoch has begun, and no node has named its masternodes yet';
  if (isNextAtLatest && reference !== undefined && reference >= nextFirstBlock - MISSED_SINCE)
    return `epoch ${number + 1} begins with block ${nextFirstBlock} at the latest, in ${formatCount(nextFirstBlock - reference, 'block', 'blocks')}, and no node has named its masternodes yet`;
  const askedAt = highest(targets.flatMap(({ facts }) => facts.node?.chain?.at ?? []));
  return now - askedAt < MASTERNODES_KNOWN_MS
    ? undefined
    : `no node has named the masternodes for ${formatDuration(Math.max(0, now - askedAt))}`;
}

/** Why a restart of this node costs no vote, whatever the others do; undefined when it may cost one. */
function findCostless(state: SubnetState, own: TargetState, member: Member, moment: RestartMoment, doubt?: string) {
  const { name } = own.target;
  const { node, container: facts } = own.facts;
  // A node that answers may vote, whatever its container does: the inventory may name the wrong one.
  if (findStale(own, moment) === undefined && node?.observation.answered === false) {
    const down = findDown(own);
    if (down !== undefined) return down;
    // Two crashes may each have a reason that is over.
    if (isLooping(facts, moment.now) && findSeries(facts).length > 2) return `${name} crashes again and again`;
  }
  if (doubt !== undefined) return undefined;
  if (member.isOnChain === false) return `${name} is on another chain`;
  if (member.vote === 'penalised') return `${name} is penalised and does not vote`;
  if (member.vote === 'standby') return `${name} is on standby and does not vote`;
  if (member.vote === undefined) return `${name} is not a masternode`;
  const isHalted = state.problems.some(({ problem, state: stage }) => problem === 'subnet_halted' && stage === 'open');
  return isHalted && member.isOut === true && member.vote !== 'unknown'
    ? `the subnet is halted and ${name} takes no part`
    : undefined;
}

/** What each node can be counted on for; the node in question also while work on it is announced. */
function viewNodes({ members = [], ...state }: SubnetState, own: TargetState, moment: RestartMoment) {
  const byName = new Map(members.map((member) => [member.name, member]));
  const absent = members.filter(({ isAbsent }) => isAbsent).length;
  return state.targets.flatMap((target) => {
    const member = target.target.component === 'node' ? byName.get(target.target.name) : undefined;
    if (member === undefined) return [];
    const seen = target === own ? { ...state, plannedWork: [] } : state;
    const others = absent - Number(member.isAbsent === true);
    return { target, member, veto: findVeto(seen, target, member, others, moment) };
  });
}

type Viewed = ReturnType<typeof viewNodes>;
type Judged = Pick<RestartAnswer, 'safe' | 'known' | 'reason'>;

const yes = (reason: string): Judged => ({ safe: true, known: true, reason });
const no = (reason: string): Judged => ({ safe: false, known: true, reason });
const unknown = (reason: string): Judged => ({ safe: false, known: false, reason });

const masternodes = (count: number): string => formatCount(count, 'masternode', 'masternodes');

/** The nodes that run with the key of another one, or of no masternode: one of these may be of a masternode that has no node. */
function describeWrongKeys({ epoch, members = [] }: SubnetState): string {
  const twins = epoch?.masternodes.flatMap(({ name = '', alsoOf = [] }) =>
    alsoOf.length > 0 ? [`${joinAnd([name, ...alsoOf])} run with one key`] : [],
  );
  const strange = members.filter(({ vote, isOnChain }) => vote === undefined && isOnChain !== false);
  const strangers = strange.map(({ name }) => `${name} runs with the key of no masternode`);
  return joinAnd([...(twins ?? []), ...strangers]);
}

/** What the votes of the nodes beside a target allow. */
function judgeVotes(voters: Viewed, own: TargetState, { total, required }: Quorum, state: SubnetState): Judged {
  const { epoch } = state;
  const others = voters.filter(({ target }) => target !== own);
  const whyOf = (kind: NonNullable<Veto>['kind']) =>
    others.flatMap(({ veto }) => (veto?.kind === kind ? veto.why : []));
  const heard = others.filter(({ veto }) => veto === undefined);
  // Nodes with one key have one vote.
  const votes = new Set(heard.map(({ target }) => addressOf(target.facts))).size;
  const [passing] = whyOf('recovering');
  if (passing !== undefined) return no(passing);
  if (votes >= required)
    return yes(`${formatCount(votes, 'other masternode votes', 'other masternodes vote')}, ${required} needed`);
  const counted = formatCount(votes, 'other masternode', 'other masternodes');
  const few = `${votes === 0 ? 'no other masternode' : `only ${counted}`} can be counted on, ${required} needed`;
  const doubts = whyOf('doubtful');
  // Masternodes of no node that has said its address, and the nodes that are out and may be these.
  const unaddressed = voters.flatMap(({ target, veto }) =>
    veto?.kind === 'out' && addressOf(target.facts) === undefined
      ? [`${veto.why}, and ${target.target.name} has not said by which address it votes`]
      : [],
  );
  // A masternode whose key no node has is silent, and so is one that no pool has a vote of, if it is that of a node that is out.
  const unnamed = epoch?.masternodes.filter((one) => hasTurns(one) && one.name === undefined) ?? [];
  const nameless = unnamed.filter(({ vote, presumed, votesMissing }) =>
    presumed && votesMissing ? false : vote !== 'silent' || unaddressed.length > 0,
  ).length;
  if (votes + doubts.length + nameless >= required) {
    const wrong = describeWrongKeys(state);
    const [is, has] =
      nameless === 1
        ? ['is not in the inventory; add its node', 'has']
        : ['are not in the inventory; add their nodes', 'have'];
    const why = wrong ? `${has} no node in the inventory, and ${wrong}; give each node its own key` : is;
    const missing = `${masternodes(nameless)} of ${total} ${why}`;
    const unsaid = nameless <= unaddressed.length ? unaddressed[0] : undefined;
    return unknown(`${few}: ${doubts[0] ?? unsaid ?? missing}`);
  }
  const lost = unnamed.find(({ vote }) => vote === 'silent');
  const cause =
    whyOf('out')[0] ?? doubts[0] ?? (lost && `${shorten(lost.address)} does not vote, and no node has its key`);
  return no(
    cause === undefined
      ? `${required} of ${masternodes(total)} must vote, so no block comes while one restarts`
      : `${few}: ${cause}`,
  );
}

/** Whether a node of a subnet may be restarted now. What is not known counts against it: one that waits costs no more than a minute. */
export function judgeRestart(state: SubnetState, name: string, moment: RestartMoment): RestartAnswer | undefined {
  const target = state.targets.find((one) => one.target.component === 'node' && one.target.name === name);
  if (target === undefined) return undefined;
  const member = state.members?.find((one) => one.name === name);
  if (member === undefined) return { ...unknown(NOTHING_KNOWN), unready: NOTHING_KNOWN };
  const { quorum = { total: 0, required: 0, voting: 0 } } = state;
  const doubt = state.quorum === undefined ? NOTHING_KNOWN : findDoubt(state, moment.now);
  const viewed = viewNodes(state, target, moment);
  const { wallAheadMs = 0 } = moment;
  const found = findContainer(target.facts.container);
  const startedAt = found?.startedAt === undefined ? undefined : Math.round(found.startedAt + wallAheadMs);
  const voters = viewed.filter(({ member }) => hasTurns(member));
  // One that has just gone away is counted as voting until its silence is confirmed.
  const isGone = ({ member, target: { facts } }: Viewed[number]) =>
    member.vote === 'votes' && !member.isUnseen && facts.node?.observation.answered === false;
  const reserve = countReserve(quorum) - Math.max(voters.filter(isGone).length, quorum.doubtful ?? 0);
  const numbers = {
    ...(doubt === undefined && {
      ...{ required: quorum.required, voting: quorum.required + reserve },
      // While no block comes, none may be missing.
      headroom: state.quietMs ? Math.min(reserve, 0) : reserve,
    }),
    unready: viewed.find((one) => one.target === target)?.veto?.why,
    container: found && { name: found.name, startedAt },
  };
  const costless = findCostless(state, target, member, moment, doubt);
  if (costless !== undefined) return { ...yes(`${costless}, so a restart costs no vote`), ...numbers };
  if (doubt !== undefined) return { ...unknown(doubt), ...numbers };
  const judged = judgeVotes(voters, target, quorum, state);
  // What passes within a minute is the reason only where nothing else is, and takes no vote of one that has none.
  const isSilent = member.isOut === true && member.vote === 'silent';
  // While no block comes, nobody knows whether all are in one round.
  const paused = state.quietMs ? `no block has come for ${formatDuration(state.quietMs)}` : undefined;
  const passing = judged.safe && !isSilent ? (paused ?? findNearChoice(state, name) ?? findNewEpoch(state)) : undefined;
  // During one of the whole subnet no node that may vote is restarted.
  const ofSubnet = state.problems.find(({ problem }) => SUBNET_PROBLEMS[problem] !== undefined);
  const { clearingSince = moment.now } = ofSubnet ?? {};
  const [is, was] = (ofSubnet && SUBNET_PROBLEMS[ofSubnet.problem]) ?? [];
  const before =
    judged.safe || !judged.known ? was && `${was} until ${formatAgo(clearingSince, moment.now)}` : undefined;
  const problem = (ofSubnet?.state === 'clearing' ? before : is) ?? passing;
  const turn = findTurn(state, name, moment.now + wallAheadMs);
  return { ...(problem === undefined ? judged : no(problem)), ...numbers, ...turn };
}
