import type { WatchedMs } from '../../lib/clock.ts';
import { ascending, highest } from '../../lib/numbers.ts';
import type { Facts } from '../../model/facts.ts';
import { isOfRun } from '../../model/restart-cause.ts';
import { countReserve } from '../../model/snapshot.ts';
import { ASKED_WITHIN_MS, type SubnetView, startedAtOf } from './subnet-view.ts';

/** The last block of a halted subnet, and since when. */
export interface Block {
  readonly number: number;
  readonly since: number;
}

/** The last block, and when it was first seen: nodes below may have come up to it later. */
const lastOf = (blocks: readonly Block[]): Block | undefined =>
  blocks.toSorted((one, other) => other.number - one.number || one.since - other.since)[0];

/** The newest block of those that the facts of nodes show, whether they answer now or not. */
const findNewest = ({ nodes, isPossible }: SubnetView, read: (facts: Facts) => Partial<Block>): Block | undefined =>
  lastOf(
    nodes.flatMap(({ isForeign, state }) => {
      const { number, since } = read(state.facts);
      if (isForeign || number === undefined || since === undefined) return [];
      return isPossible(number) ? [{ number, since }] : [];
    }),
  );

/** The newest block that a node was seen to rise to, whether it answers now or not. */
const findRisen = (view: SubnetView): Block | undefined =>
  findNewest(view, ({ node: { latest } = {} }) =>
    latest?.risen ? { number: latest.number, since: latest.advancedAt } : {},
  );

/** The newest block that a log has shown. */
const findLogged = (view: SubnetView): Block | undefined =>
  findNewest(view, ({ logs }) => ({ number: logs?.node?.height, since: logs?.node?.advancedAt }));

/** The newest block that was seen, when no node says now which one it has: one above the answers by a log. */
export function findSeen(view: SubnetView): Block | undefined {
  const risen = findRisen(view);
  const logged = findLogged(view);
  return logged && logged.number > (risen?.number ?? 0) ? logged : risen;
}

/** The last block by answers, or one above it by a log. What nodes repeat after a start says nothing, but in a halt that goes on. */
function findLastBlock(view: SubnetView, goesOn: boolean): Block | undefined {
  const newest = highest(view.nodes.flatMap(({ height }) => height?.timestamp ?? []));
  const answered = view.nodes.flatMap(({ height, isWitness, isRepeating }) => {
    if (height === undefined || !isWitness) return [];
    const { number, riseDueSince: since, fall } = height;
    // Until one is newer by its own time, the last block is that from which nodes fell, whatever they take again.
    if (fall?.cameAt !== undefined && newest <= (fall.timestamp ?? 0))
      return { number: fall.from, since: fall.cameAt, counts: true };
    return { number, since, counts: goesOn || !isRepeating };
  });
  const top = lastOf(answered);
  if (top === undefined) return undefined;
  const logged = findLogged(view);
  const last = logged && logged.number > top.number ? logged : lastOf(answered.filter(({ counts }) => counts));
  // Nodes that have just ended do not answer, but the block that one of them has shown since has come.
  const risen = findRisen(view);
  return last && risen && risen.number > last.number && risen.since > last.since ? risen : last;
}

/** When a node that has run for a while first printed a block to which subnetd, started later, saw no node rise; infinite where none did. */
function findPrintedAt({ nodes }: SubnetView, number: number): WatchedMs {
  if (nodes.some(({ height }) => height?.number === number && height.risen)) return Number.POSITIVE_INFINITY;
  const printed = nodes.flatMap((node) => {
    const { height, advancedAt = Number.NEGATIVE_INFINITY } = node.state.facts.logs?.node ?? {};
    const isOwn = !node.isForeign && !node.isStarting && isOfRun(advancedAt, startedAtOf(node));
    return height === number && isOwn ? advancedAt : [];
  });
  return Math.min(...printed);
}

/**
 * Since when the subnet stands at its last block, and since when that is there, by its own time where clocks agree. `open`: the halt that
 * goes on, unless the block is below half of its own: then it is of another chain, or of the same from its begin, and new once one came.
 */
export function findStand(view: SubnetView) {
  const { nodes, quorum, before, now, toWall, stallAfterMs } = view;
  const told = before.get({ problem: 'subnet_halted' });
  const known = told?.state === 'open' ? told : undefined;
  const block = findLastBlock(view, known !== undefined);
  if (block === undefined) return { open: known };
  const { number, since } = block;
  const heights = nodes.flatMap(({ height }) => (height?.number === number ? height : []));
  const [first] = heights.toSorted((one, other) => one.advancedAt - other.advancedAt);
  const isOther = known !== undefined && number * 2 < Number(known.about);
  // That has no block of its own yet.
  if (isOther && first?.risen === false && now - since < stallAfterMs) return { open: known };
  const halt = isOther ? undefined : known;
  const printedAt = findPrintedAt(view, number);
  const seenAt = first?.risen ? first.advancedAt : printedAt;
  const ownTime = first?.timestamp ? now - (toWall(now) - first.timestamp * 1_000) : Number.NaN;
  const madeAt = Math.min(ownTime, now);
  // After a restart of subnetd the block was seen long after it came, and the halt that was stored may be of another one.
  const begunAt = halt && Math.max(halt.since, halt.restoredAt && first?.timestamp ? madeAt : halt.since);
  // As clocks differ, a log shows only when a standstill began that is seen for a while, or that too few voters explain.
  const isShown = (quorum && countReserve(quorum) < 0) || now - since >= stallAfterMs / 2;
  const from = Math.min(since, now, begunAt ?? now, isShown ? printedAt : now);
  const lastSince =
    Math.abs(seenAt - ownTime) < ASKED_WITHIN_MS ? madeAt : Math.min(from, first?.risen ? seenAt : from);
  // Another block of the same height, as a node shows it that is back, may have been made later.
  const saidSince = halt?.about === String(number) && !halt.restoredAt ? halt.since : now;
  return { open: halt, from, last: { number, since: Math.min(lastSince, saidSince) } };
}

/** The age of the newest block that enough masternodes have to make another one, where that is more than a turn that times out takes; else 0. */
export function findQuietMs(view: SubnetView): number {
  const { nodes, quorum = { total: 0, required: 0 }, stallAfterMs, haltedUntil, now } = view;
  const { last = { number: 0, since: now } } = findStand(view);
  // By their answers and by their logs. A block that only the others have may be lost again, but the first after a halt takes a while.
  const below = view.voters.flatMap(({ height, isForeign, state }) => {
    const { number = last.number, lastGoodAt = 0, riseDueSince = 0 } = height ?? {};
    const isBelow = Math.max(number, state.facts.logs?.node?.height ?? number) < last.number && !isForeign;
    return isBelow && lastGoodAt - Math.max(riseDueSince, haltedUntil) > stallAfterMs / 2 ? riseDueSince : [];
  });
  const since = Math.min(last.since, ...below.toSorted(ascending).slice(quorum.total - quorum.required));
  const lastAskedAt = highest(nodes.flatMap(({ height }) => height?.lastGoodAt ?? []));
  return lastAskedAt - since > stallAfterMs / 2 ? now - since : 0;
}
