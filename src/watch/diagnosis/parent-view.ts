import { formatDuration, formatMoment } from '../../lib/duration.ts';
import { SUBMITS_WITHIN_MS } from '../../model/check-limits.ts';
import { findCheckpointLag } from '../../model/checkpoint-lag.ts';
import type { CheckpointMode, CheckpointProgress } from '../../model/parent-chain.ts';
import type { ProblemRef } from '../../model/problem.ts';
import type { TargetState } from '../../model/snapshot.ts';
import { NO_NEW_BLOCKS } from '../rules/judge-submissions.ts';
import { checkOf, type SubnetView, type TargetView } from './subnet-view.ts';
import { explain } from './suspect.ts';

export const findRelayer = ({ services }: SubnetView): TargetView | undefined =>
  services.find(({ state }) => state.target.component === 'relayer');

/** What a problem of the parent chain is about: the relayer, or the whole subnet when the inventory names none. */
export function parentSubject(view: SubnetView): Pick<ProblemRef, 'component' | 'name'> {
  const target = findRelayer(view)?.state.target;
  return target === undefined ? {} : { component: target.component, name: target.name };
}

/** The errors with which the modes of a relayer fail, by its log. */
export const errorsOf = (relayer: TargetState | undefined) =>
  Object.entries(relayer?.facts.logs?.relayer?.byMode ?? {}).flatMap(([mode, { error }]) =>
    error ? [{ mode, ...error }] : [],
  );

/** What the relayer says of the node of the subnet that it reads from. */
const OF_SUBNET: readonly string[] = ['subnet_unreachable', 'subnet_uncommitted'];

/** Whether the relayer fails only at that node, by its log. */
export function failsAtNode(relayer: TargetState): boolean {
  const errors = errorsOf(relayer);
  return errors.length > 0 && errors.every(({ pattern }) => OF_SUBNET.includes(pattern));
}

/** The checks of relayers that have no new blocks to submit, or fail at the node that they read them from. */
export const explainUnfed = ({ services }: SubnetView) =>
  services
    .filter(({ state }) => failsAtNode(state) || checkOf(state, 'submissions')?.seen.includes(NO_NEW_BLOCKS))
    .flatMap((one) => explain(one, 'submissions'));

/** Whether the relayer submits, as it was judged last. */
export function submissionsOf(view: SubnetView) {
  const relayer = findRelayer(view);
  return relayer && checkOf(relayer.state, 'submissions');
}

/** Whether the log of the relayer shows that it submits, or does not; undefined when it says neither. */
export function submits(view: SubnetView): boolean | undefined {
  const { verdict = 'unknown' } = submissionsOf(view) ?? {};
  return verdict === 'unknown' || verdict === 'skipped' ? undefined : verdict !== 'fail';
}

/** When the relayer was last seen to submit, by its log or its queues. */
export function findSubmission(view: SubnetView): number {
  const { logs, service } = findRelayer(view)?.state.facts ?? {};
  const completed = (service?.queues ?? []).map(({ completedAt = 0 }) => completedAt);
  return Math.max(logs?.relayer?.submittedAt ?? 0, ...completed);
}

/** The mode of the contract, by itself; else as the relayer shows it; else full. */
export function findMode(view: SubnetView, progress: CheckpointProgress | undefined): CheckpointMode {
  const modes = findRelayer(view)?.state.facts.logs?.relayer?.modes;
  return progress?.checkpoint.mode ?? (modes?.includes('lite') ? 'lite' : 'full');
}

/** The settings of XDPoS that the generator writes, for a chain that has not given its own. */
const USUAL = { minePeriodMs: 2_000, epoch: 900 };

/** How late a checkpoint may be: submitting every block takes minutes, and in lite mode a whole epoch lies between two. */
export function findAllowedLag(view: SubnetView, mode: CheckpointMode) {
  const { minePeriodMs, epoch } = view.chain.consensus ?? USUAL;
  const ms = view.subnet.settings.logs.submissionsWithinMs ?? SUBMITS_WITHIN_MS.full;
  const blocks = Math.ceil(ms / minePeriodMs);
  return mode === 'lite' ? { ms: Number.POSITIVE_INFINITY, blocks: epoch + blocks } : { ms, blocks };
}

/** The lag of the contract, in blocks and in time, by the times of the blocks, else by the usual time between two; undefined while unknown. */
export function findLag(view: SubnetView) {
  const states = view.nodes.map(({ state }) => state);
  const lag = findCheckpointLag(states, view.reference, view.facts.parent);
  if (lag === undefined) return undefined;
  const { minePeriodMs } = view.chain.consensus ?? USUAL;
  const { blocks, seconds } = lag;
  return { ...lag, ms: seconds === undefined ? blocks * minePeriodMs : seconds * 1000 };
}

/** A contract that moves faster than the subnet makes blocks by this factor catches up. */
const FASTER = 1.2;

/** Over less time its pace says nothing. */
const PACE_OVER_MS = 25_000;

/** Whether the contract comes nearer to the subnet. */
export function catchesUp(view: SubnetView, { recent }: CheckpointProgress): boolean {
  const [first, last] = [recent[0], recent.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < PACE_OVER_MS) return false;
  const { minePeriodMs } = view.chain.consensus ?? USUAL;
  return (last.number - first.number) * minePeriodMs > (last.at - first.at) * FASTER;
}

/** It is read each 30 s: when it was is said where it may have moved since. */
export const OLD_READING_MS = 15_000;

/** What the contract says of itself, for evidence: where it is, how far behind, and when it last moved. */
export function describeContract(view: SubnetView, progress: CheckpointProgress): string {
  const { checkpoint, advancedAt, hasAdvanced, readAt } = progress;
  const { blocks = 0, ms = 0 } = findLag(view) ?? {};
  const since = formatDuration(Math.max(readAt - advancedAt, 0));
  const isOld = view.now - readAt >= OLD_READING_MS;
  const far = blocks > 0 ? `, ${blocks} blocks (${formatDuration(ms)}) behind the subnet` : '';
  const read = isOld ? ` when it was read ${formatMoment(readAt, view)}` : '';
  const [is, has, and] = isOld ? ['was', 'had', 'when it'] : ['is', 'has', 'and'];
  const moved = hasAdvanced ? `, ${and} was seen to move ${formatMoment(advancedAt, view)}` : read;
  const moves = advancedAt !== readAt ? `, and ${has} not moved for ${since}${read}` : moved;
  return `the contract ${is} at block ${checkpoint.committed.number}${far}${moves}`;
}
