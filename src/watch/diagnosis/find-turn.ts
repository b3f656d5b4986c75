import { highest } from '../../lib/numbers.ts';
import { isCredible } from '../../model/chain.ts';
import type { Turn } from '../../model/restart-answer.ts';
import { consensusOf, hasTurns, type SubnetState } from '../../model/snapshot.ts';
import { turnOf } from './find-epoch.ts';

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
  // While no block comes, turns pass without one.
  if (state.quietMs || place < 0 || head?.round === undefined || settings === undefined || settings.epoch < 1)
    return undefined;
  const { minePeriodMs, epoch } = settings;
  const masternodes = active.length;
  // The last turns of an epoch may be left out, so two of one node are less than two cycles apart.
  let rounds = 1;
  while (rounds < 2 * masternodes && turnOf(head.round + rounds, { epoch, masternodes }) !== place) rounds++;
  const age = head.timestamp === undefined ? 0 : wallMs - head.timestamp * 1_000;
  // How long a container takes to end: many images do not pass the signal on, and are killed after ten seconds.
  const took = (ones: SubnetState['targets']) => ones.flatMap(({ facts }) => facts.container?.stopTookMs ?? []);
  const [own] = took(state.targets.filter(({ target }) => target.name === name));
  const others = took(state.targets.filter(({ target }) => target.component === 'node'));
  return {
    nextTurnMs: rounds * minePeriodMs - Math.min(Math.max(age, 0), minePeriodMs),
    turnEveryMs: masternodes * minePeriodMs,
    stopMs: own ?? (others.length === 0 ? undefined : highest(others)),
  };
}
