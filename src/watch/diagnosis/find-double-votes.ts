import { formatMoment } from '../../lib/duration.ts';
import { formatCount, listNames, shorten } from '../../lib/words.ts';
import { type CastVote, type DoubleVote, isOfOneRound, pairKey } from '../../model/double-vote.ts';
import { addressOf, type Facts } from '../../model/facts.ts';
import type { Suspicion } from '../../model/problem.ts';
import { findContainer, START_MS } from '../../model/restart-cause.ts';
import type { TargetState } from '../../model/snapshot.ts';
import { listUnlisted } from './find-setup-problems.ts';
import { adviceOf, type NodeView, type SubnetView } from './subnet-view.ts';
import { suspect } from './suspect.ts';

/** For so long it is said that something has happened, which is over at once, but may come again. */
export const SAID_MS = 10 * 60_000;

/** The double votes that are still said, the newest first, in two kinds: of keys that several nodes have, and of others. */
export function findDoubleVotes({ facts: { doubleVotes }, sharedKeys, before, now }: SubnetView) {
  // Those of a chain that was replaced say nothing of the new one.
  const replacedAt = before.get({ problem: 'chain_replaced' })?.since ?? Number.NEGATIVE_INFINITY;
  const since = Math.max(now - SAID_MS, replacedAt);
  const said = (doubleVotes?.recent ?? []).filter(({ at }) => at > since).toReversed();
  const isShared = ({ signer, nodes }: DoubleVote) => nodes.length > 1 || sharedKeys.has(signer);
  return { ofShared: said.filter(isShared), ofOthers: said.filter((one) => !isShared(one)) };
}

/** Of nodes that run with one key the one that has left its own for it, as no node has that now: it runs with the wrong one. */
export function findWrong(nodes: readonly NodeView[], { orphans }: Pick<SubnetView, 'orphans'>): NodeView | undefined {
  const [wrong, ...more] = nodes.filter(({ chainFacts }) => orphans.includes(chainFacts?.keyBefore?.address ?? ''));
  return more.length === 0 ? wrong : undefined;
}

/** What was signed, as the end of a sentence: `two blocks of round 7`. */
function describeSigned(one: DoubleVote): string {
  const [first, second] = one.votes;
  return isOfOneRound(one)
    ? `two blocks of round ${first.round}`
    : `blocks of rounds ${first.round} and ${second.round} that exclude each other`;
}

const describeBlock = ({ number, hash }: CastVote): string =>
  number === undefined ? shorten(hash) : `block ${number} ${shorten(hash)}`;

function describeSource({ votes: [one, other], source }: DoubleVote): string {
  if (source === 'log') return `the log of ${one.seenBy} has both signatures`;
  return one.seenBy === other.seenBy
    ? `both were in the pool of ${one.seenBy}`
    : `the first was in the pool of ${one.seenBy}, the second in that of ${other.seenBy}`;
}

/** What of it the end of another evidence says; empty without any. */
export function describeShared(address: string, doubleVotes: readonly DoubleVote[], view: SubnetView): string {
  const [newest] = doubleVotes.filter(({ signer }) => signer === address);
  if (newest === undefined) return '';
  return `; ${describeSigned(newest)}, signed with the key of ${shorten(address)}, were seen ${formatMoment(newest.at, view)}`;
}

/** A node that is started again forgets for which block it has voted, so it may vote for another one of the same round. */
function isAfterStart({ container, logs }: Facts, at: number): boolean {
  const starts = [findContainer(container)?.startedAt, container?.runBefore?.startedAt, logs?.node?.startedAt];
  // Pools keep a vote for a minute, and are read once in another one.
  return starts.some((startedAt = Number.NEGATIVE_INFINITY) => at >= startedAt && at - startedAt < 2 * START_MS);
}

/** The nodes that have a key. */
export const findOwners = (states: readonly TargetState[], signer: string): readonly string[] =>
  states.flatMap(({ target, facts }) => (addressOf(facts) === signer ? target.name : []));

/** A pair in `about`, with the second in which it was first seen, and why it is no alarm: its node was started about then (`s`), or another had its key (`k`). */
const ABOUT = /([^,\s]+)@(\d+)([sk]?)/g;

/**
 * What was told of the pairs. Pools keep their votes, so subnetd finds them again after its restart, and a node that is started anew has
 * forgotten its start of then.
 */
function recallPairs({ before, now, toWall }: SubnetView) {
  const { about = '' } = before.get({ problem: 'double_vote' }) ?? {};
  const pairs = about.matchAll(ABOUT).map(([, key = '', seconds, mark]) => {
    const at = now - toWall(now) + Number(seconds) * 1_000;
    return [key, { at, mark }] as const;
  });
  return new Map(pairs);
}

/** The node that had left this key for another one no longer than pools keep votes before it. */
const findLeaver = ({ nodes }: SubnetView, signer: string, at: number): NodeView | undefined =>
  nodes.find(({ chainFacts: { keyBefore } = {} }) => keyBefore?.address === signer && at - keyBefore.at < 2 * START_MS);

/** Keys with which two blocks of one round were signed, or blocks that exclude each other as a node has proved. */
export function findDoubleVoters(found: readonly DoubleVote[], view: SubnetView): readonly Suspicion[] {
  if (found.length === 0) return [];
  const { now, toWall } = view;
  const known = recallPairs(view);
  // A container that nobody has named may have the key as well, if it was there by then, also once it is gone again.
  const running = listUnlisted(view).filter(({ status }) => status === 'running');
  const strangersAt = (at: number) => running.filter(({ createdAt = 0 }) => createdAt <= toWall(at));
  const all = found.map((one) => {
    const key = pairKey(one);
    const { at = one.at, mark: told } = known.get(key) ?? {};
    const node = view.nodes.find(({ address }) => address === one.signer);
    const leaver = findLeaver(view, one.signer, at);
    const isRestarted =
      told === undefined && strangersAt(at).length === 0 && node && isAfterStart(node.state.facts, at);
    const mark = told || (leaver ? 'k' : isRestarted ? 's' : '');
    const about = `${key}@${Math.round(toWall(at) / 1_000)}${mark}`;
    return { one, node, at, leaver, mark, about, name: one.nodes[0] ?? node?.name ?? shorten(one.signer) };
  });
  // What a start explains waits until it is known which containers there are.
  const listedAt = view.facts.setup?.at ?? now;
  const isReady = ({ at, mark }: (typeof all)[number]) => mark !== 's' || at <= listedAt;
  // Once it is no longer said what a start explains, a later start must not make an alarm of it.
  const isLate = ({ one, at }: (typeof all)[number]) =>
    one.source === 'pool' && !known.has(pairKey(one)) && now - at >= 2 * START_MS;
  const pairs = all
    .filter((one) => now - one.at < SAID_MS && isReady(one) && !isLate(one))
    .sort((one, other) => other.at - one.at);
  // One start explains one round.
  const isAgain = ({ one, at }: (typeof pairs)[number]) =>
    pairs.filter((other) => other.one.signer === one.signer && Math.abs(at - other.at) < 2 * START_MS).length > 1;
  const isExplained = (pair: (typeof pairs)[number]) => pair.mark === 'k' || (pair.mark === 's' && !isAgain(pair));
  const unexplained = pairs.filter((pair) => !isExplained(pair));
  // A pair that a start explains is said for two minutes. Beside one that nothing explains it is only remembered.
  const said = unexplained.length > 0 ? unexplained : pairs.filter(({ at }) => now - at < 2 * START_MS);
  const [shown] = said;
  if (shown === undefined) return [];
  const { one, node, at, leaver, mark, name: own } = shown;
  const reason =
    mark === 'k'
      ? `${leaver?.name ?? 'another node'} had its key until about then`
      : `${own} was started about then, and forgets at its start for which block it has voted`;
  const strangers = mark === 'k' ? [] : strangersAt(at);
  const isExcused = strangers.length === 0 && isExplained(shown);
  const names = [...new Set(said.map(({ name }) => name))].sort();
  return [
    suspect('double_vote', {
      about: pairs.map(({ about }) => about).join(', '),
      begunAt: said.at(-1)?.at,
      summary: `${listNames(names)} signed ${names.length === 1 ? describeSigned(one) : 'two blocks each'}`,
      evidence: [
        `${own} (${one.signer}) voted for ${one.votes.map(describeBlock).join(' and for ')}, ${describeSigned(one)}, seen ${formatMoment(at, view)}: ${describeSource(one)}`,
        ...(isExcused ? [reason] : strangers.map(({ name }) => `${name} runs and is not in the inventory`)),
        ...(said.length > 1 ? [`${formatCount(said.length, 'such pair', 'such pairs')} within ten minutes`] : []),
      ].join('; '),
      fix: `${isExcused ? 'if it does not come again, nothing; else ' : ''}find what else signs with the key of ${own}, such as a second node, a copy of its data folder or a stolen key, and stop it${node === undefined ? '' : ` (${adviceOf(node).checkKey(node.target)})`}; for the evidence, export the incident as JSON from its page and check it with \`subnetd check-votes FILE\``,
      nodes: [...new Set(said.flatMap(({ one: { nodes } }) => nodes))],
    }),
  ];
}
