import { formatDuration, formatMoment } from '../../lib/duration.ts';
import { highest } from '../../lib/numbers.ts';
import { SUBMITS_WITHIN_MS } from '../../model/check-limits.ts';
import { findCheckpointLag } from '../../model/checkpoint-lag.ts';
import type { CheckpointMode, CheckpointProgress } from '../../model/parent-chain.ts';
import type { ProblemRef } from '../../model/problem.ts';
import { readLite } from '../../model/relay.ts';
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

/** Whether the log of the relayer shows that it submits, or does not; undefined when it says neither. */
export function submits(view: SubnetView): boolean | undefined {
  const relayer = findRelayer(view);
  const { verdict = 'unknown' } = (relayer && checkOf(relayer.state, 'submissions')) ?? {};
  return verdict === 'unknown' || verdict === 'skipped' ? undefined : verdict !== 'fail';
}

/** When the relayer was last seen to submit, by its log or its queues. */
export function findSubmission(view: SubnetView): number {
  const { logs, service } = findRelayer(view)?.state.facts ?? {};
  return highest([
    logs?.relayer?.submittedAt ?? 0,
    ...(service?.queues ?? []).map(({ completedAt = 0 }) => completedAt),
  ]);
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

/**
 * The lag of the contract, in blocks and in time, by the times of the blocks, else by the usual time between two; undefined while it is
 * unknown. `since`: how much of it may have come since the contract was read.
 */
export function findLag(view: SubnetView) {
  const { parent } = view.facts;
  const states = view.nodes.map(({ state }) => state);
  const lag = findCheckpointLag(states, view.reference, parent);
  if (lag === undefined) return undefined;
  const { minePeriodMs } = view.chain.consensus ?? USUAL;
  const { blocks, seconds } = lag;
  const agoMs = Math.max(view.now - (parent?.progress?.readAt ?? view.now), 0);
  const since = { ms: agoMs, blocks: Math.ceil(agoMs / minePeriodMs) };
  return { ...lag, since, ms: seconds === undefined ? blocks * minePeriodMs : seconds * 1000 };
}

/** A contract that moves faster than the subnet makes blocks by this factor catches up. */
const FASTER = 1.2;

/** Over less time its pace says nothing. */
const PACE_OVER_MS = 25_000;

/** Somebody who has deployed a contract sets it up, and two readings of it are half a minute apart. */
const NEW_MS = 40_000;

/** Whether a contract is there, or first read, since a moment ago: what it refuses, and its pace, say nothing yet. */
export const isNewContract = ({ facts, now }: SubnetView): boolean => now - (facts.parent?.contractSince ?? 0) < NEW_MS;

/** Whether the contract comes nearer to the subnet. */
export function catchesUp(view: SubnetView, { recent }: CheckpointProgress): boolean {
  const [first, last] = [recent[0], recent.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < PACE_OVER_MS) return false;
  const { minePeriodMs } = view.chain.consensus ?? USUAL;
  return (last.number - first.number) * minePeriodMs > (last.at - first.at) * FASTER;
}

/** It is read each 30 s: when it was is said where it may have moved since. */
const OLD_READING_MS = 15_000;

/** What the contract says of itself, for evidence: where it is, how far behind, and when it last moved. */
export function describeContract(view: SubnetView, progress: CheckpointProgress): string {
  const { checkpoint, advancedAt, hasAdvanced, readAt } = progress;
  const lag = findLag(view);
  const behind = lag && lag.blocks > 0 ? `, ${lag.blocks} blocks (${formatDuration(lag.ms)}) behind the subnet` : '';
  const since = formatDuration(Math.max(readAt - advancedAt, 0));
  const moved = hasAdvanced ? `, and was seen to move ${formatMoment(advancedAt, view)}` : '';
  const isOld = view.now - readAt >= OLD_READING_MS;
  const still = isOld
    ? `, and had not moved for ${since} when it was read ${formatMoment(readAt, view)}`
    : `, and has not moved for ${since}`;
  const moves = advancedAt !== readAt ? still : moved;
  return `the contract is at block ${checkpoint.committed.number}${behind}${moves}`;
}

/** The blocks that a lite contract misses, and those that it holds uncommitted, as the end of a sentence about it. */
export function describeLite({ facts, reference }: SubnetView): string {
  const { missed, buffered = 0 } = readLite(facts, reference) ?? {};
  return missed === undefined ? '' : `; it misses ${missed} of its checkpoints, and ${buffered} are not yet committed`;
}

/** Whether the contract would take the next block, as the end of a sentence about it; empty when that is not known. */
export const describeNext = ({ checkpoint: { next, latest } }: CheckpointProgress): string =>
  next === undefined || next.refusal !== undefined || next.number <= latest.number
    ? ''
    : `; asked by eth_call, it would take block ${next.number}`;

/** What the stats server says of the relayer, as the end of a sentence about the contract; empty when it says nothing. */
export function describeStats({ services }: SubnetView): string {
  const server = services.find(({ state }) => state.target.component === 'stats');
  const { relayer } = server?.state.facts.service?.stats?.reading ?? {};
  return relayer === undefined
    ? ''
    : `; the stats server shows the relayer as ${relayer.isUp ? 'UP' : 'DOWN'} with a backlog of ${relayer.backlog} blocks`;
}
