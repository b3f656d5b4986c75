import { medianOf } from '../../lib/numbers.ts';
import { type RoundSettings, timeoutMs } from '../../model/chain.ts';
import type { Facts } from '../../model/facts.ts';
import type { Turn } from '../../model/restart-answer.ts';
import { START_MS } from '../../model/restart-cause.ts';
import { consensusOf, hasTurns, type SubnetState } from '../../model/snapshot.ts';
import { isCredible } from '../rules/view.ts';
import { turnOf } from './find-epoch.ts';

/** What decides which moment is the best one for a restart; in milliseconds. */
type Rhythm = Pick<Turn, 'turnEveryMs' | 'stopMs' | 'joinMs'> & Pick<RoundSettings, 'minePeriodMs' | 'timeoutPeriodMs'>;

/** A block has come to the others this long after its turn. */
const AFTER_TURN_MS = 1_000;

/** A node that is back this much before or after its own turn is not in its way. */
const ENOUGH_MS = 3_000;

/** A turn that times out costs more than any distance from one. */
const MISSED_MS = 3_600_000;

/** Where nobody knows how long a node is out, it ends right after its turn: within this time, and a tenth of the time between two. */
const JUST_MS = 2_000;

/**
 * How well a node gets through that ends so long after a block of its own: the more the better. Each turn until it follows the chain
 * again times out, and the next one comes after that; in the middle of such a turn it may make a block for a round that is over.
 */
function rate(endsAfterMs: number, { turnEveryMs, joinMs, minePeriodMs, timeoutPeriodMs }: Rhythm): number {
  if (joinMs === undefined) return endsAfterMs <= Math.max(JUST_MS, turnEveryMs / 10) ? 0 : -MISSED_MS;
  const backMs = endsAfterMs + joinMs;
  const everyMs = turnEveryMs - minePeriodMs + timeoutPeriodMs;
  // The first new block of a node comes up to a period after it could follow.
  const missed = Math.max(0, Math.ceil((backMs - turnEveryMs - minePeriodMs) / everyMs));
  const sinceTurnMs = backMs - missed * everyMs;
  return Math.min(turnEveryMs - sinceTurnMs, sinceTurnMs - minePeriodMs, ENOUGH_MS) - missed * MISSED_MS;
}

/** Moments so close are the same one: an answer and a stop take their time. */
const STEP_MS = 500;

/** How long until the best moment to ask a node to stop, `sinceTurnMs` after its own turn; 0 for now. */
export function untilBest(sinceTurnMs: number, rhythm: Rhythm): number {
  const { turnEveryMs, stopMs = 0 } = rhythm;
  const last = turnEveryMs - AFTER_TURN_MS;
  const endsAfterMs = (sinceTurnMs + stopMs) % turnEveryMs;
  let [best, waitMs] = [Number.NEGATIVE_INFINITY, 0];
  for (let moment = AFTER_TURN_MS; moment <= Math.max(last, AFTER_TURN_MS); moment += STEP_MS) {
    const [rated, untilMs] = [rate(moment, rhythm), (moment - endsAfterMs + turnEveryMs) % turnEveryMs];
    if (rated > best || (rated === best && untilMs < waitMs)) [best, waitMs] = [rated, untilMs];
  }
  const isClear = endsAfterMs >= AFTER_TURN_MS - STEP_MS && endsAfterMs <= last + STEP_MS;
  return isClear && rate(endsAfterMs, rhythm) >= best - STEP_MS ? 0 : waitMs;
}

/** What a node shows of itself, else what the others do in the middle. */
function findUsual(state: SubnetState, name: string, read: (facts: Facts) => number | undefined): number | undefined {
  const nodes = state.targets.filter(({ target }) => target.component === 'node');
  const [own] = nodes.filter(({ target }) => target.name === name);
  return (own && read(own.facts)) ?? medianOf(nodes.flatMap(({ facts }) => read(facts) ?? []));
}

/** Longer than this a node takes only with something else to do, such as to catch up. */
const MOST_JOIN_MS = 120_000;

/** How long a node took from its start to its first new block, by its log. Where others started with it, it waited for their votes. */
function findJoin({ logs }: Facts, starts: readonly number[]): number | undefined {
  const { startedAt = Number.NaN, joinedAt = Number.NaN } = logs?.node ?? {};
  const isAlone = starts.filter((at) => Math.abs(at - startedAt) < START_MS).length === 1;
  return isAlone && joinedAt - startedAt <= MOST_JOIN_MS ? joinedAt - startedAt : undefined;
}

/**
 * When a masternode makes its next block, by the newest block that the nodes have and the mine period. At most one period off where the
 * clocks differ. Undefined of a node that has no turns, and while nobody knows. `wallMs`: now, in Unix milliseconds.
 */
export function findTurn(state: SubnetState, name: string, wallMs: number): Turn | undefined {
  const active = state.epoch?.masternodes.filter(hasTurns) ?? [];
  const place = active.findIndex((one) => one.name === name);
  const strangers = new Set(state.members?.flatMap(({ name, isOnChain }) => (isOnChain === false ? name : [])));
  const blocks = state.targets.flatMap(({ target, facts: { node } }) => {
    const { latest } = node?.observation ?? {};
    const counts = latest?.ok && !strangers.has(target.name) && isCredible(latest.value.number, state.reference);
    return counts ? latest.value : [];
  });
  // The newest of those that come with their round.
  const [head] = blocks.sort((one, other) => (other.round ?? -1) - (one.round ?? -1));
  const settings = consensusOf(state);
  if (place < 0 || head?.round === undefined || settings === undefined || settings.epoch < 1) return undefined;
  const { minePeriodMs, epoch } = settings;
  const masternodes = active.length;
  // The last turns of an epoch may be left out, so two of one node are less than two cycles apart.
  let rounds = 1;
  while (rounds < 2 * masternodes && turnOf(head.round + rounds, { epoch, masternodes }) !== place) rounds++;
  const age = head.timestamp === undefined ? 0 : wallMs - head.timestamp * 1_000;
  const nextTurnMs = rounds * minePeriodMs - Math.min(Math.max(age, 0), minePeriodMs);
  const turnEveryMs = masternodes * minePeriodMs;
  // Many images do not pass the signal on, and are killed after ten seconds.
  const stopMs = findUsual(state, name, ({ container }) => container?.stopTookMs);
  const starts = state.targets.flatMap(({ facts: { logs } }) => logs?.node?.startedAt ?? []);
  const joinMs = findUsual(state, name, (facts) => findJoin(facts, starts));
  const rhythm = { turnEveryMs, stopMs, joinMs, minePeriodMs, timeoutPeriodMs: timeoutMs(settings, 0) };
  const bestInMs = untilBest(Math.max(0, turnEveryMs - nextTurnMs), rhythm);
  return { nextTurnMs, turnEveryMs, stopMs, joinMs, bestInMs };
}
