import { formatAgo, formatDuration, formatMinute } from '../../lib/duration.ts';
import { addressOf, type ContainerFacts, countPeers } from '../../model/facts.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import { findContainer, isLooping, START_MS } from '../../model/restart-cause.ts';
import type { Member, SubnetState, TargetState } from '../../model/snapshot.ts';
import type { NodeTarget } from '../../model/target.ts';
import { isCredible } from '../rules/view.ts';
import { checkOf } from './subnet-view.ts';
import { viewContainer } from './view-node.ts';

/** When a question about restarts is asked, and since when facts are new enough to answer it. Watched time. */
export interface RestartMoment {
  readonly now: number;
  readonly freshSince: number;
  /** The same of nodes that do not answer, where nobody waits for them to fail again. */
  readonly silentSince?: number;
}

/** What a masternode can be counted on for while another one restarts. */
export type Voter =
  | { readonly kind: 'votes' }
  /** It does not vote (`out`), it was just started or stopped (`recovering`), or nobody knows (`doubtful`), with the reason. */
  | { readonly kind: 'out' | 'recovering' | 'doubtful'; readonly why: string };

/** For this long after its start a node must still show that it is complete and votes. */
const WATCHED_MS = 10 * 60_000;

/** Docker kills what does not end within some seconds after the request. */
const STOPPING_MS = 30_000;

/** Problems of a node that leave its votes out, whatever else is seen of it. */
const WITHOUT_VOTE: ReadonlySet<ProblemName> = new Set([
  'node_stalled',
  'node_behind',
  'node_without_block',
  'node_partitioned',
  'node_not_voting',
  'other_chain',
  'height_not_credible',
  'miner_loop_stopped',
  'masternode_update_failed',
  'database_lost',
]);

const out = (why: string): Voter => ({ kind: 'out', why });
const recovering = (why: string): Voter => ({ kind: 'recovering', why });
const doubtful = (why: string): Voter => ({ kind: 'doubtful', why });

/** Why what is known of a node is too old to rely on; undefined when it is new. */
export function findStale(
  state: TargetState,
  { now, freshSince, silentSince = freshSince }: RestartMoment,
): string | undefined {
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
export function findDown(state: TargetState): string | undefined {
  const { name } = state.target;
  const { kind } = viewContainer(state);
  if (kind === 'missing') return `${name} has no container`;
  if (kind === 'paused') return `the container of ${name} is paused`;
  return kind === 'stopped' || kind === 'restarting' ? `the container of ${name} does not run` : undefined;
}

/** What a container says against the vote of its node. */
function judgeContainer(state: TargetState, facts: ContainerFacts, now: number): Voter | undefined {
  const { name } = state.target;
  const container = findContainer(facts);
  const down = findDown(state);
  if (down !== undefined) {
    // A container that is made again is missing meanwhile.
    const endedAt = container?.finishedAt ?? facts.lastExit?.at;
    const isNew = container?.status !== 'paused' && endedAt !== undefined && now - endedAt < START_MS;
    return isNew ? recovering(`${name} went down ${formatAgo(endedAt, now)}`) : out(down);
  }
  if (isLooping(facts, now)) return out(`${name} crashes again and again`);
  // The node answers, so it runs in a container that the inventory does not name.
  if (container === undefined) return undefined;
  const { id, startedAt = now } = container;
  const stopAt = facts.lastStopRequest?.id === id ? facts.lastStopRequest?.at : undefined;
  if (stopAt !== undefined && stopAt > startedAt && now - stopAt < STOPPING_MS)
    return recovering(`${name} is being stopped`);
  if (now - startedAt < START_MS)
    return recovering(`${name} was started ${formatAgo(startedAt, now)} and must run for a minute`);
  return undefined;
}

/** What the height says against the vote of a node. */
function viewHeight({ target: { name }, facts: { node } }: TargetState, state: SubnetState): Voter | undefined {
  const { reference, stallAfterMs, subnet } = state;
  const latest = node?.observation.latest.ok === true ? node.latest : undefined;
  if (latest === undefined) return out(`${name} gives no height`);
  if (!isCredible(latest.number, reference)) return out(`the height of ${name} is not credible`);
  const lag = (reference ?? latest.number) - latest.number;
  if (lag > subnet.settings.rpc.maxLag) return out(`${name} is ${lag} blocks behind`);
  if (!latest.risen) return doubtful(`${name} has not been seen to get a new block yet`);
  // What has happened since the last probe is not known, and its age is judged elsewhere.
  const stalled = latest.lastGoodAt - latest.advancedAt;
  return stalled < (stallAfterMs ?? subnet.settings.rpc.stallAfterMs)
    ? undefined
    : out(`${name} has had no new block for ${formatDuration(stalled)}`);
}

/** A node that was started within the last minutes must have its peers again, and must have been asked for its votes since. */
function viewStart(state: TargetState, target: NodeTarget, goneNodes: number, now: number): Voter | undefined {
  const { name, expectedPeers } = target;
  const { container, node } = state.facts;
  const found = findContainer(container);
  // Without a container, a restart shows as a time without an answer.
  const startedAt = found ? (found.startedAt ?? now) : (checkOf(state, 'latest_block')?.since ?? now);
  const ran = now - startedAt;
  if (ran < START_MS) return recovering(`${name} has answered well for ${formatDuration(Math.max(0, ran))} only`);
  if (ran >= WATCHED_MS) return undefined;
  const peers = countPeers(state.facts) ?? 0;
  const expected = Math.max(0, expectedPeers - goneNodes);
  if (peers < expected) return recovering(`${name} has ${peers} of ${expected} peers since its start`);
  // What it says in its first minute shows nothing of its votes.
  return (node?.chain?.at ?? 0) - startedAt < START_MS
    ? recovering(`${name} has not been asked for its votes since its start ${formatDuration(ran)} ago`)
    : undefined;
}

/** What one masternode can be counted on for; `goneNodes`: how many other nodes are out. */
export function viewVoter(
  state: SubnetState,
  node: TargetState,
  member: Member,
  goneNodes: number,
  moment: RestartMoment,
): Voter {
  const { now } = moment;
  const { target, facts } = node;
  const stale = findStale(node, moment);
  if (stale !== undefined) return doubtful(stale);
  const work = state.plannedWork?.find(({ name }) => name === target.name);
  if (work !== undefined) return out(`${target.name} is announced to be worked on until ${formatMinute(work.until)}`);
  const byContainer = target.container && facts.container ? judgeContainer(node, facts.container, now) : undefined;
  if (byContainer !== undefined) return byContainer;
  if (facts.node?.observation.answered !== true) {
    const failedFor = now - (checkOf(node, 'latest_block')?.since ?? now);
    const silent = `${target.name} does not answer`;
    return target.container === undefined && failedFor < START_MS ? recovering(silent) : out(silent);
  }
  const problem = state.problems.find(
    (one) => one.name === target.name && one.state !== 'clearing' && WITHOUT_VOTE.has(one.problem),
  );
  if (problem !== undefined) return out(problem.summary);
  const byHeight = viewHeight(node, state);
  if (byHeight !== undefined) return byHeight;
  const byStart = target.component === 'node' ? viewStart(node, target, goneNodes, now) : undefined;
  if (byStart !== undefined) return byStart;
  if (member.vote === 'silent') return out(`${target.name} does not vote`);
  return addressOf(facts) === undefined
    ? doubtful(`${target.name} has not said by which address it votes`)
    : { kind: 'votes' };
}
