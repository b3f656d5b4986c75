import { highest } from '../../lib/numbers.ts';
import type { Turn } from '../../model/restart-answer.ts';
import { consensusOf, type SubnetState } from '../../model/snapshot.ts';
import { isCredible } from '../rules/view.ts';
import { turnOf } from './find-epoch.ts';

/** The newest block that a node of the chain has, of those that come with their round. */
function findHead({ targets, members = [], reference }: SubnetState) {
  const strangers = new Set(members.flatMap(({ name, isOnChain }) => (isOnChain === false ? name : [])));
  let head: { readonly round: number; readonly timestamp?: number } | undefined;
  for (const { target, facts } of targets) {
    const latest = facts.node?.observation.latest;
    if (latest?.ok !== true || strangers.has(target.name) || !isCredible(latest.value.number, reference)) continue;
    const { round, timestamp } = latest.value;
    if (round !== undefined && round > (head?.round ?? -1)) head = { round, timestamp };
  }
  return head;
}

/** How long the container of a node takes to end: many images do not pass the signal on, and are killed after ten seconds. */
function findStopMs({ targets }: SubnetState, name: string): number | undefined {
  const took = ({ facts }: SubnetState['targets'][number]) => facts.container?.stopTookMs ?? [];
  const [own] = targets.filter(({ target }) => target.name === name).flatMap(took);
  const others = targets.filter(({ target }) => target.component === 'node').flatMap(took);
  return own ?? (others.length === 0 ? undefined : highest(others));
}

/**
 * When a masternode makes its next block, by the newest block that the nodes have and the mine period. At most one period off where the
 * clocks differ. Undefined of a node that has no turns, and while nobody knows. `wallMs`: now, in Unix milliseconds.
 */
export function findTurn(state: SubnetState, name: string, wallMs: number): Turn | undefined {
  const active = state.epoch?.masternodes.filter(({ vote }) => vote !== 'penalised' && vote !== 'standby') ?? [];
  const place = active.findIndex((one) => one.name === name);
  const head = findHead(state);
  const settings = consensusOf(state);
  if (place < 0 || head === undefined || settings === undefined || settings.epoch < 1) return undefined;
  const { minePeriodMs, epoch } = settings;
  const masternodes = active.length;
  // The last turns of an epoch may be left out, so two of one node are less than two cycles apart.
  let rounds = 1;
  while (rounds < 2 * masternodes && turnOf(head.round + rounds, { epoch, masternodes }) !== place) rounds++;
  const age = head.timestamp === undefined ? 0 : wallMs - head.timestamp * 1_000;
  const passed = Math.min(Math.max(age, 0), minePeriodMs);
  return {
    nextTurnMs: rounds * minePeriodMs - passed,
    turnEveryMs: masternodes * minePeriodMs,
    stopMs: findStopMs(state, name),
  };
}
