import { formatSecond } from '../../lib/duration.ts';
import { collect } from '../../lib/values.ts';
import { joinAnd, toShellWord } from '../../lib/words.ts';
import type { Problem } from '../../model/problem.ts';
import { isLooping, START_MS } from '../../model/restart-cause.ts';
import type { Quorum } from '../../model/snapshot.ts';
import { engineOf } from '../../model/target.ts';
import type { Finding } from '../../model/verdict.ts';
import { findForeignCommittee } from './find-foreign-committee.ts';
import type { Block } from './find-last-block.ts';
import { describeSetBackAll, findLostSnapshot, findLostState, isGapBlock } from './find-lost-state.ts';
import { findSplit } from './find-mesh-problems.ts';
import { describeUntold, isToJoin } from './quorum.ts';
import {
  findsPeers,
  isMissing,
  isStopped,
  type NodeView,
  namesOf,
  type SubnetView,
  startedAtOf,
} from './subnet-view.ts';

/** What to do about a halt, what else is seen of it, and from when on to restart all. */
type Advice = Partial<Finding> & Required<Pick<Finding, 'fix'>> & Pick<Problem, 'restartAt' | 'together'>;

/** Nodes tell each other what they know of rounds with each third time-out: one that is asked after so many more must know it. */
const MOST_TIMEOUTS = 4;
const TIMEOUT_MS = 10_000;

/** The masternodes that wait for a block in vain, as they were asked since then, and since their container started. */
const findWaiting = ({ nodes, masters }: SubnetView, since: number) =>
  collect(nodes, (node) => {
    const { chainFacts, isOut, address = '' } = node;
    const { timeoutRound: round } = chainFacts?.observation.pool ?? {};
    const earliest = Math.max(since, startedAtOf(node) ?? since);
    if (!chainFacts || !round || isOut || chainFacts.at < earliest || masters.get(address) !== node) return undefined;
    // When it first and last said so, in watched time.
    const { at, waitsSince = at } = chainFacts;
    return { node, round, from: Math.max(waitsSince, earliest), at };
  });

/** The command, as far as Docker says where they run. `docker restart` takes one after the other, but `docker stop` all at once. */
function commandTo(word: 'start' | 'restart', nodes: readonly NodeView[]): string {
  const names = joinAnd(nodes.map(({ name }) => name));
  const containers = nodes.flatMap(({ container }) => ('container' in container ? [container.container.name] : []));
  const engines = new Set(nodes.map(({ target }) => target.container && engineOf(target.container)));
  const listed = containers.map(toShellWord).join(' ');
  const typed =
    word === 'restart' && nodes.length > 1
      ? `docker stop ${listed} && docker start ${listed}`
      : `docker ${word} ${listed}`;
  // No command reaches several engines.
  return `${word} ${names}${containers.length < nodes.length || engines.size > 1 ? '' : ` with \`${typed}\``}`;
}

/**
 * Masternodes that wait in different rounds since the subnet halted at `since`, too few in each to leave it. A node keeps its round in
 * memory, so one that was killed comes back in a lower round. What the others tell it each third time-out is the certificate of the last
 * one, and often ends that. Where all were started since the last block nobody has such a certificate, and XDC-Subnet v0.3.2 refuses what
 * they tell: there only those of the higher round can come back to the others, although they forget their votes.
 */
function findSplitRounds(view: SubnetView, last: Block): Required<Finding> | undefined {
  const waiting = findWaiting(view, last.since);
  const required = view.quorum?.required ?? 0;
  const groups = [...Map.groupBy(waiting, ({ round }) => round)].toSorted(([one], [other]) => other - one);
  // Nodes that receive each other's rounds have met in one by then, and one that was asked later is in a lower one.
  const metMs = MOST_TIMEOUTS * (view.chain.consensus?.timeoutPeriodMs ?? TIMEOUT_MS);
  const isSplit = waiting.some((low) => waiting.some((high) => high.round > low.round && high.from + metMs <= low.at));
  if (groups.some(([, ones]) => ones.length >= required) || !isSplit) return undefined;
  const described = groups.map(
    ([round, ones]) =>
      `${joinAnd(ones.map(({ node }) => node.name))} ${ones.length === 1 ? 'waits' : 'wait'} in round ${round}`,
  );
  const haveAllStarted = waiting.every(({ node }) => (startedAtOf(node) ?? 0) > last.since);
  const [[round, staying] = [0, []], ...others] = haveAllStarted ? groups.toReversed() : groups;
  const restarted = others.flatMap(([, ones]) => ones.map(({ node }) => node)).slice(0, required - staying.length);
  const [it, takes] = restarted.length === 1 ? ['it comes', 'it takes'] : ['they come', 'they take'];
  const restart = commandTo('restart', restarted);
  const seen = `${described.join(', ')}, and ${required} must wait in the same one`;
  const [first] = waiting;
  const setBack = first && isGapBlock(view.chain, last) ? describeSetBackAll(first.node, last) : undefined;
  if (setBack && haveAllStarted) return { seen, fix: setBack };
  const rest = `If no block comes within a minute, ${setBack ?? 'restart the others too, one after another. A second vote shows as double_vote, and needs nothing'}`;
  return {
    seen,
    fix: haveAllStarted
      ? `${restart}, so that ${it} back in round ${round}: the others cannot leave it, as all were started since the last block. ${rest}`
      : `wait a minute, as the sync messages that nodes send at their third time-out often end this. If no block comes, ${restart}: ${takes} round ${round} from the others. ${rest}`,
  };
}

/**
 * Of 41 halts of real nodes that ended by themselves, one stood for longer once all were back (104 s), and 39 for at most 52 s. Those that
 * stood for minutes ended half a minute after all were started again together. What splits nodes shows within this time too.
 */
const ENDS_ITSELF_MS = 90_000;

/** Before Docker has been asked about a node, it may have started just now, and what was told of the halt says what to do first. */
const isUnasked = (node: NodeView): boolean =>
  startedAtOf(node) === undefined && node.target.container !== undefined && !node.state.facts.container;

/** What ends a halt in which enough masternodes answer, and from when on. What was told of a `halt` holds, but for a node that started since. */
function adviseToRestart(view: SubnetView, { present, joining }: Voters, last?: Block, halt?: Problem): Advice {
  const { chain, now, toWall } = view;
  const [first] = present;
  const restart =
    first && last && isGapBlock(chain, last)
      ? describeSetBackAll(first, last)
      : `${commandTo('restart', present)}${present.length > 1 ? ', all of them at once' : ''}`;
  const events = present.flatMap(({ name, height, ...node }) => {
    // Whose socket has answered meanwhile was not away.
    const { at = 0 } = node.state.facts.node?.returned ?? {};
    const backAt = height && at > height.advancedAt ? at : 0;
    return [[startedAtOf(node) ?? 0, `${name} was started`] as const, [backAt, `${name} answered again`] as const];
  });
  const [[eventAt, event] = [0, '']] = events.toSorted(([one], [other]) => other - one);
  const told = halt?.restartAt && halt.restartAt - ENDS_ITSELF_MS;
  const begunAt = Math.max(told ?? last?.since ?? 0, eventAt);
  const isPast = now - begunAt >= ENDS_ITSELF_MS;
  // It stood for another reason until now, or one that was out for its peers only is back at a time that is not known here.
  const isOther = halt ? isPast || begunAt > eventAt : isPast && joining.length > 0;
  const from = told === undefined && (isOther || present.some(isUnasked)) ? now : begunAt;
  const until = from + ENDS_ITSELF_MS;
  const timeOf = (at: number) => formatSecond(toWall(at)).slice(11);
  const why = Math.abs(eventAt - from) < 1_000 ? `${event} at ${timeOf(eventAt)}, and ` : '';
  const wait = `wait until then, as ${why}the sync messages that nodes send at their third time-out often end this`;
  const then = until > now ? wait : 'that time has passed, so do it now';
  return { restartAt: until, fix: `if no block has come by ${timeOf(until)}, ${restart}; ${then}` };
}

/** `docker restart` gives a program ten seconds to end, and starts it at once then. */
const RESTART_MS = 15_000;
const AT_ONCE_MS = 5_000;

type Voters = ReturnType<typeof findVoters>;

/** The nodes of a halted subnet that may bring a vote. One that is penalised or on standby brings none back. */
export function findVoters(view: SubnetView) {
  const { voters, now } = view;
  const out = voters.filter(isMissing);
  const present = voters.filter(({ isOut }) => !isOut);
  return {
    out,
    present,
    // They take part, and are not connected to all others that do. While one of them finds its peers, the others find it.
    lonely: present.some(({ state }) => findsPeers(state, now))
      ? []
      : present.filter(({ peers = Infinity }) => peers < present.length - 1),
    // Out as well, and only just: those that have answered a moment ago, as before their end, and do not loop, may be away for a restart.
    gone: out.filter((node) => {
      const { node: known, container } = node.state.facts;
      const mostMs = isStopped(node) ? RESTART_MS : START_MS;
      const endedAt = node.container.kind === 'stopped' ? (node.container.container.finishedAt ?? 0) : now;
      const isAway = now - (known?.latest?.lastGoodAt ?? 0) < mostMs && now - endedAt < AT_ONCE_MS;
      return (node.answers !== true || isStopped(node)) && isAway && !isLooping(container, now);
    }),
    // They have just started, and count as voting: they do not answer yet, or they do and join the round.
    starting: voters.filter((node) => node.isOut && !isMissing(node)),
    joining: present.filter(({ name }) => view.joining.has(name)),
    toJoin: voters.filter(isToJoin),
  };
}

/** Fewer masternodes than must vote may see each other, though all of them run. One that is not known here may connect them. */
function describeSplit({ nodes }: SubnetView, voters: Voters, { required, voting }: Quorum): Advice | undefined {
  const { present, lonely, starting, joining } = voters;
  // One that has just started finds its peers yet, unless it had a block since.
  const maySettle = starting.length > 0 || joining.some(({ takesBlocks }) => !takesBlocks);
  if (maySettle || voting > present.length) return undefined;
  const { sides, together } = findSplit(nodes, present, required);
  if (together >= required) return undefined;
  const [one, other] = sides?.map((side) => joinAnd(side.map(({ name }) => name))) ?? [];
  return {
    ...{ restartAt: undefined, together },
    seen: sides && `${one} ${sides[0].length === 1 ? 'does' : 'do'} not see ${other}`,
    fix: sides
      ? `open the p2p ports (TCP and UDP) between ${one} on one side and ${other} on the other, as neither side has the ${required} that must vote; a restart does not help`
      : `see that ${namesOf(lonely)} reach the others (p2p ports), as ${required} must see each other; a restart does not help before`,
  };
}

/** What to do about a halt, and what else is seen of it: the first that holds. */
export function adviseOnHalt(view: SubnetView, voters: Voters, quorum: Quorum, last?: Block, halt?: Problem): Advice {
  const { out, present, lonely, gone, starting, joining } = voters;
  const { required, voting } = quorum;
  const foreign = findForeignCommittee(view);
  if (foreign !== undefined) return foreign;
  if (voting < required)
    return {
      fix: `bring back ${namesOf(out)}: ${required - voting} more must vote${describeUntold(view, out)}; restart no other node`,
    };
  const split = describeSplit(view, voters, quorum);
  if (split !== undefined) return split;
  // Nodes that are back in a lower round come up to the others by themselves.
  const mayBeSplit = joining.length + gone.length === 0;
  const cause =
    findLostState(view, last) ??
    findLostSnapshot(view, last) ??
    (last && mayBeSplit ? findSplitRounds(view, last) : undefined);
  const awaited = cause === undefined ? [...starting, ...gone] : starting;
  if (awaited.length > 0)
    return {
      ...cause,
      fix: `wait until ${namesOf(awaited)} ${awaited.length === 1 ? 'answers' : 'answer'}, a minute at most, and restart no other node`,
    };
  if (cause !== undefined) return cause;
  if (halt?.restartAt && present.some(isUnasked)) return { restartAt: halt.restartAt, fix: halt.fix };
  const { fix, ...advice } = adviseToRestart(view, voters, last, halt);
  const isLonely = lonely.length > 0 && joining.length === 0;
  const reach = `see that ${namesOf(lonely)} ${lonely.length === 1 ? 'reaches' : 'reach'} the others (p2p ports), and `;
  // One that shows why it ended is mended first.
  const stopped = out.filter((one) => one.container.kind === 'stopped' && one.state.shownFailures.length === 0);
  const start = stopped.length > 0 ? `${commandTo('start', stopped)}, and ` : '';
  return { ...advice, fix: `${start}${isLonely ? reach : ''}${fix}` };
}
