import { formatDuration, formatMoment } from '../../lib/duration.ts';
import { SUBMITS_WITHIN_MS } from '../../model/check-limits.ts';
import { findCheckpointLag } from '../../model/checkpoint-lag.ts';
import { type CheckpointMode, type CheckpointProgress, OLD_READING_MS } from '../../model/parent-chain.ts';
import type { SubnetView } from './subnet-view.ts';

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
  const lag = findCheckpointLag(states, view.facts.parent);
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
  const moves =
    advancedAt !== readAt ? `, and ${has} not moved for ${hasAdvanced ? '' : 'at least '}${since}${read}` : moved;
  return `the contract ${is} at block ${checkpoint.committed.number}${far}${moves}`;
}
